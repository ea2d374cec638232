import type { FastifyReply } from "fastify";
import { errorCodeRegistry } from "@postdate/contract";
import type { codes, ErrorCode, Problem } from "../../domain/refusals.ts";
import { namedProblems } from "./named-problems.ts";

type Codes = typeof codes;

/** Compiles only while the contract announces every code of the domain under the same name. */
const announced: {
  readonly [Name in keyof Codes]: {
    readonly code: Codes[Name];
    readonly statuses: readonly [number, ...number[]];
  };
} = errorCodeRegistry;

/** The status each code travels with: the first that the contract announces for it. */
export const statusOfCode = Object.fromEntries(
  Object.values(announced).map(({ code, statuses }) => [code, statuses[0]]),
) as Readonly<Record<ErrorCode, number>>;

/** The statuses of `codes.misfit`, which depend on what about the request does not fit. */
export const misfitStatus = {
  "no-route": 404,
  "no-method": 405,
  "too-large": 413,
  "media-type": 415,
} as const;

export type Misfit = keyof typeof misfitStatus;

/** A request that does not fit the interface: its content is not looked at. */
export class RequestMisfit extends Error {
  readonly misfit: Misfit;

  constructor(misfit: Misfit, message: string) {
    super(message);
    this.name = "RequestMisfit";
    this.misfit = misfit;
  }
}

/** A request with several problems is a bad request if any of them makes it one. */
export function statusOf(problems: readonly Problem[]): number {
  const statuses = problems.map(({ code }) => statusOfCode[code]);
  return statuses.includes(400) ? 400 : (statuses[0] ?? 500);
}

export function answerProblems(
  reply: FastifyReply,
  problems: readonly Problem[],
  status: number = statusOf(problems),
): void {
  void reply
    .code(status)
    .type("application/json; charset=utf-8")
    .send({ errors: namedProblems(problems) });
}
