import type { FailureClasses, FailureOutcome } from "../../domain/attempt.ts";

/** The ways in which a webhook delivery fails. 410 means that the receiver is gone for good. */
export const webhookFailures = {
  BAD_STATUS: { finalStatuses: [410] },
  TIMEOUT: "retryable",
  CONNECTION_FAILED: "retryable",
  DNS_FAILED: "retryable",
  TLS_FAILED: "retryable",
  ADDRESS_REFUSED: "permanent",
  MISCONFIGURED: "permanent",
} as const satisfies FailureClasses;

export type WebhookOutcome = Extract<FailureOutcome, keyof typeof webhookFailures>;
