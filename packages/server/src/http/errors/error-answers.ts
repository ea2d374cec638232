import type { FastifyReply } from "fastify";
import type { ErrorCode, Problem } from "../../domain/refusals.ts";
import { namedProblems } from "./named-problems.ts";

/** The status each code travels with. The only place that knows; see `docs/reference/errors.md`. */
export const statusOfCode: Readonly<Record<ErrorCode, number>> = {
  "E-DI-1001": 400,
  "E-DI-1002": 400,
  "E-DI-1003": 404,
  "E-DI-2001": 401,
  "E-DI-2002": 403,
  "E-DI-2003": 429,
  "E-DI-2004": 409,
  "E-DI-3001": 400,
  "E-DI-3002": 409,
  "E-DI-3003": 409,
  "E-DI-3004": 404,
  "E-DI-3005": 400,
  "E-DI-4001": 404,
  "E-DI-4002": 409,
  "E-DI-4003": 403,
  "E-DI-4004": 409,
  "E-DI-4005": 409,
  "E-DI-5001": 400,
  "E-DI-5002": 400,
  "E-DI-5003": 400,
  "E-DI-5004": 400,
  "E-DI-5005": 400,
  "E-DI-5006": 409,
  "E-DI-5007": 422,
  "E-DI-9001": 500,
  "E-DI-9002": 503,
};

/** The other statuses of E-DI-1003, which depend on what about the request does not fit. */
export const misfitStatus = {
  "no-route": 404,
  "no-method": 405,
  "too-large": 413,
  "media-type": 415,
} as const;

export type Misfit = keyof typeof misfitStatus;

/** A request that does not fit the interface, whatever it says. */
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
