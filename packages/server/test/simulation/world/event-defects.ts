import type { Defect } from "./open-world.ts";

/** Bugs that show in what is told. Others would show there too, but not say what they are. */
const eventDefects: readonly Defect[] = [
  "event-committed-apart",
  "positions-by-sequence",
  "resume-off-by-one",
];

export function isToldJudgedWith(defects: ReadonlySet<Defect>): boolean {
  return defects.size === 0 || eventDefects.some((defect) => defects.has(defect));
}
