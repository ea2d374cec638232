import type { FastifyReply } from "fastify";
import { errorCodeRegistry } from "@postdate/contract";
import type { codes, ErrorCode, Problem } from "../../domain/refusals.ts";
import { namedProblems } from "./named-problems.ts";

type Codes = typeof codes;

/** Compiles only if the contract lists every code of the domain under the same name. */
const announced: {
  readonly [Name in keyof Codes]: {
    readonly code: Codes[Name];
    readonly statuses: readonly [number, ...number[]];
  };
} = errorCodeRegistry;

/** The HTTP status of each code: the first one that the contract lists for it. */
export const statusOfCode = Object.fromEntries(
  Object.values(announced).map(({ code, statuses }) => [code, statuses[0]]),
) as Readonly<Record<ErrorCode, number>>;

/** `codes.misfit` has several statuses, one for each way in which a request does not fit. */
export const misfitStatus = {
  "no-route": 404,
  "no-method": 405,
  "too-large": 413,
  "media-type": 415,
} as const;

export type Misfit = keyof typeof misfitStatus;

/** A request that does not fit the interface. The service does not look at its content. */
export class RequestMisfit extends Error {
  readonly misfit: Misfit;

  constructor(misfit: Misfit, message: string) {
    super(message);
    this.name = "RequestMisfit";
    this.misfit = misfit;
  }
}

/** If any of several problems has the status 400, the answer has it too. */
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
