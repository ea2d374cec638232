import { Errors, named } from "@postdate/contract";

const descriptions = {
  400: "The request is wrong. `errors` lists all its problems.",
  401: "The credential is missing or not valid (`WWW-Authenticate`).",
  403: "The credential does not allow this operation (`WWW-Authenticate`).",
  404: "There is no such target, schedule, key, client, job, event endpoint or account.",
  409: "The current state does not allow this operation.",
  410: "The position is no longer in the log.",
  413: "The body is too large.",
  415: "The body is not `application/json`, or is compressed.",
  422: "The idempotency key was used before, for another request.",
  429: "The account has sent more requests than its limit allows (`Retry-After`).",
  500: "Something went wrong inside the service.",
  503: "The store is unavailable or overloaded (`Retry-After`); nothing was acknowledged.",
} as const;

type Status = keyof typeof descriptions;

/** The error answers of an operation: those of every operation, and its own. */
export function errorAnswers(...own: readonly Status[]) {
  const statuses: readonly Status[] = [400, 401, 403, ...own, 429, 500, 503];
  return Object.fromEntries(
    statuses.map((status) => [status, { ...named(Errors), description: descriptions[status] }]),
  );
}

/** The error answers of an operation that takes a body. */
export function bodyErrorAnswers(...own: readonly Status[]) {
  return errorAnswers(...own, 413, 415);
}
