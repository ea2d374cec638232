import type { ChangeDecision } from "../domain/transitions.ts";
import type { ChangeResult } from "./message-store.ts";

/** What the caller of a change is told. */
export function changeResult(decision: ChangeDecision, targetKey: number): ChangeResult {
  return decision.kind === "changed" ? { ...decision, targetKey } : decision;
}
