import type { DeadLetterReason } from "@postdate/client";

const reasons: Readonly<Record<DeadLetterReason, string>> = {
  ATTEMPTS_EXHAUSTED: "all attempts failed",
  FINAL_ANSWER: "the answer was final",
  ADDRESS_REFUSED: "the address is not allowed",
  NOT_AFTER: "its time had passed",
  REJECTED: "it could not be sent",
};

/** Why messages are dead letters, in words. */
export function reasonText(reason: DeadLetterReason | null, status: number | null): string {
  const why = reason === null ? "of unknown cause" : reasons[reason];
  return status === null ? why : `${why}, last with ${status}`;
}
