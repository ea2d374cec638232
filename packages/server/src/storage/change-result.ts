import type { ChangeDecision, RequestedChange } from "../domain/transitions.ts";
import type { ChangeResult, RescheduleRequest } from "./message-store.ts";

/** What a reschedule asks for beside the time. */
export type ChangeConditions = Omit<RequestedChange, "deliveryTime">;

export function conditionsOf({ bound, whileScheduled }: RescheduleRequest): ChangeConditions {
  return {
    ...(bound !== undefined && { bound }),
    ...(whileScheduled !== undefined && { whileScheduled }),
  };
}

/** The answer to the caller of a change. */
export function changeResult(decision: ChangeDecision, targetKey: number): ChangeResult {
  return decision.kind === "changed" ? { ...decision, targetKey } : decision;
}
