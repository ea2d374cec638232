import type { ChangeDecision } from "../domain/transitions.ts";
import type { ChangeResult } from "./message-store.ts";

/** The answer to the caller of a change. */
export function changeResult(decision: ChangeDecision, targetKey: number): ChangeResult {
  return decision.kind === "changed" ? { ...decision, targetKey } : decision;
}
