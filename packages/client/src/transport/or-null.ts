import { ApiError } from "../api-error.ts";
import type { ErrorCode } from "../types/errors.ts";

/** Null in place of the error that says that there is no such thing. */
export async function orNull<Found>(
  missing: ErrorCode,
  asked: Promise<Found>,
): Promise<Found | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404 && error.code === missing) return null;
    throw error;
  }
}
