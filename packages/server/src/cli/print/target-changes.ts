import type { AnyTarget } from "../target-kinds/target-kind-commands.ts";
import { alignedRows } from "../terminal/aligned.ts";
import type { Look } from "../terminal/look.ts";
import { settingsOfTarget } from "./targets.ts";

export interface TargetChange {
  readonly before: AnyTarget;
  readonly after: AnyTarget;
  /** Titles of settings that were given, and whose values are never shown: they cannot be compared. */
  readonly rewritten: readonly string[];
}

/** What a change has done to a target, one line for each setting that is another now. */
export function targetChanges({ before, after, rewritten }: TargetChange, { paint }: Look): string {
  const old = new Map(settingsOfTarget(before));
  const rows = settingsOfTarget(after).flatMap(([title, now]) => {
    const was = old.get(title);
    if (was !== now) return [[`  ${paint("bold", title)}`, `${was} → ${paint("green", now)}`]];
    if (rewritten.includes(title)) {
      return [[`  ${paint("bold", title)}`, `${now}, with the values given`]];
    }
    return [];
  });
  return rows.length === 0
    ? `Nothing changed: ${after.targetId} is as you ask already.\n`
    : `Changed ${after.targetId}:\n${alignedRows(rows)}`;
}
