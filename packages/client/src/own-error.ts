import { ApiError } from "./api-error.ts";
import { ConnectionError } from "./connection-error.ts";

/**
 * A copy for one of several callers that share a failure. Callers may change an error that they catch. The stack
 * of the copy leads to the caller, if the copy is made where the caller is awaited.
 */
export function ownError(error: unknown, change?: Partial<ConnectionError>): unknown {
  if (error instanceof ApiError) return new ApiError(error);
  if (error instanceof ConnectionError) {
    return Object.assign(new ConnectionError(error.message, error), change);
  }
  return error;
}
