import type { Row } from "../target-kinds/target-kind-commands.ts";
import { alignedRows } from "../terminal/aligned.ts";
import type { Look } from "../terminal/look.ts";

export interface SettingChange {
  readonly name: string;
  readonly before: readonly Row[];
  readonly after: readonly Row[];
  /** Titles of settings that were given, and whose values do not show all of them: they cannot be compared. */
  readonly rewritten: readonly string[];
}

/** What a change has done, one line for each setting that is another now. */
export function settingChanges(change: SettingChange, { paint }: Look): string {
  const { name, rewritten } = change;
  const [before, after] = [new Map(change.before), new Map(change.after)];
  const titles = new Set([...after.keys(), ...before.keys()]);
  const rows = [...titles].flatMap((title) => {
    const [was, now] = [before.get(title) ?? "none", after.get(title) ?? "none"];
    if (was !== now) return [[`  ${paint("bold", title)}`, `${was} → ${paint("green", now)}`]];
    if (rewritten.includes(title)) {
      return [[`  ${paint("bold", title)}`, `${now}, with the values given`]];
    }
    return [];
  });
  return rows.length === 0
    ? `Nothing changed: ${name} is as you ask already.\n`
    : `Changed ${name}:\n${alignedRows(rows)}`;
}
