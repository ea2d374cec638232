import type { AnyTarget } from "../target-kinds/target-kind-commands.ts";
import type { Look } from "../terminal/look.ts";
import { settingChanges } from "./setting-changes.ts";
import { settingsOfTarget } from "./targets.ts";

export interface TargetChange {
  readonly before: AnyTarget;
  readonly after: AnyTarget;
  /** Titles of settings that were given, and whose values are never shown: they cannot be compared. */
  readonly rewritten: readonly string[];
}

/** What a change has done to a target, one line for each setting that is another now. */
export function targetChanges({ before, after, rewritten }: TargetChange, look: Look): string {
  const [old, now] = [settingsOfTarget(before), settingsOfTarget(after)];
  return settingChanges({ name: after.targetId, before: old, after: now, rewritten }, look);
}
