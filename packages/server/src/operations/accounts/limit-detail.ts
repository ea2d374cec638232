import type { AuditDetail } from "../../domain/audit.ts";
import type { RateLimit } from "../../domain/rate-limit.ts";

export interface GivenLimits {
  readonly monthlyMessageLimit?: number | null | undefined;
  readonly requestLimit?: RateLimit | null | undefined;
}

/** The given limits for the audit log, whose details are plain values. */
export function limitDetail({ monthlyMessageLimit, requestLimit }: GivenLimits): AuditDetail {
  return {
    ...(monthlyMessageLimit !== undefined && { monthlyMessageLimit }),
    ...(requestLimit === null && { requestLimit }),
    ...(requestLimit && {
      "requestLimit.max": requestLimit.max,
      "requestLimit.intervalMs": requestLimit.intervalMs,
    }),
  };
}
