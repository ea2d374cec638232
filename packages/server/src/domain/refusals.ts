/** Every code a caller can meet. `docs/reference/errors.md` explains each; a test holds them together. */
export const errorCodes = [
  "E-DI-1001",
  "E-DI-1002",
  "E-DI-1003",
  "E-DI-2001",
  "E-DI-2002",
  "E-DI-2003",
  "E-DI-2004",
  "E-DI-3001",
  "E-DI-3002",
  "E-DI-3003",
  "E-DI-3004",
  "E-DI-3005",
  "E-DI-4001",
  "E-DI-4002",
  "E-DI-4003",
  "E-DI-4004",
  "E-DI-4005",
  "E-DI-5001",
  "E-DI-5002",
  "E-DI-5003",
  "E-DI-5004",
  "E-DI-5005",
  "E-DI-5006",
  "E-DI-5007",
  "E-DI-9001",
  "E-DI-9002",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** One thing that is wrong with a request, said so that the caller knows what to do. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field?: string;
}

/** A request that was refused. Nothing happened. */
export class RequestRefused extends Error {
  readonly problems: readonly Problem[];

  constructor(...problems: readonly Problem[]) {
    super(problems.map((problem) => `${problem.code}: ${problem.message}`).join("; "));
    this.name = "RequestRefused";
    this.problems = problems;
  }
}

/** A request that was refused for now: the same one may be accepted after a wait. Nothing happened. */
export class RequestLimited extends RequestRefused {
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number, problem: Problem) {
    super(problem);
    this.name = "RequestLimited";
    this.retryAfterMs = retryAfterMs;
  }
}
