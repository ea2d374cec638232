/**
 * Every error code that a caller can get, by its name in the code. Under the same name, the contract
 * says what callers should know (`errorCodeRegistry`). The compiler and a test keep the two equal.
 */
export const codes = {
  invalidRequest: "E-DI-1001",
  invalidPageToken: "E-DI-1002",
  /** The request does not fit the API: no such route, method, key or client, or a wrong body. */
  misfit: "E-DI-1003",
  notAuthenticated: "E-DI-2001",
  insufficientScope: "E-DI-2002",
  tooManyRequests: "E-DI-2003",
  tooManyCredentials: "E-DI-2004",
  messageTargetNotFound: "E-DI-3001",
  targetExists: "E-DI-3002",
  targetHasMessages: "E-DI-3003",
  targetNotFound: "E-DI-3004",
  addressNotAllowed: "E-DI-3005",
  accountNotFound: "E-DI-4001",
  accountExists: "E-DI-4002",
  accountSuspended: "E-DI-4003",
  accountNotSuspended: "E-DI-4004",
  defaultAccountStays: "E-DI-4005",
  messageNotFound: "E-DI-5001",
  payloadTooLarge: "E-DI-5002",
  notCancellable: "E-DI-5003",
  notReschedulable: "E-DI-5004",
  monthlyLimitReached: "E-DI-5005",
  attemptInProgress: "E-DI-5006",
  idempotencyKeyReused: "E-DI-5007",
  messageKeyTaken: "E-DI-5008",
  scheduleNotFound: "E-DI-6001",
  scheduleExists: "E-DI-6002",
  noOccurrence: "E-DI-6003",
  noOpenOccurrence: "E-DI-6004",
  tooManySchedules: "E-DI-6005",
  jobNotFound: "E-DI-7001",
  targetHasJob: "E-DI-7002",
  jobEnded: "E-DI-7003",
  tooManyJobs: "E-DI-7004",
  eventEndpointNotFound: "E-DI-8001",
  eventPositionGone: "E-DI-8002",
  eventEndpointKind: "E-DI-8003",
  tooManyEventEndpoints: "E-DI-8004",
  eventEndpointExists: "E-DI-8005",
  internalError: "E-DI-9001",
  unavailable: "E-DI-9002",
  keyNotExchangeable: "E-DI-9003",
} as const;

export type ErrorCode = (typeof codes)[keyof typeof codes];

/** One thing that is wrong with a request. The message tells the caller what to do. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field?: string;
}

/** A request was refused. Nothing happened. */
export class RequestRefused extends Error {
  readonly problems: readonly Problem[];

  constructor(...problems: readonly Problem[]) {
    super(problems.map((problem) => `${problem.code}: ${problem.message}`).join("; "));
    this.name = "RequestRefused";
    this.problems = problems;
  }
}

/** A request was refused for now. The same request may be accepted after a wait. Nothing happened. */
export class RequestLimited extends RequestRefused {
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number, problem: Problem) {
    super(problem);
    this.name = "RequestLimited";
    this.retryAfterMs = retryAfterMs;
  }
}
