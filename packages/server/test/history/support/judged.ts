import { expect, test } from "vitest";
import { judge } from "../judge.ts";
import { smallHistory } from "./small-history.ts";
import type { SmallHistory } from "./small-history.ts";

export function titlesOf(parts: SmallHistory): string[] {
  return judge(smallHistory(parts)).violations.map(({ title }) => title);
}

/** By what is wrong: the beginning of the violation's title, and the history. */
export type Broken = Readonly<Record<string, readonly [string, SmallHistory]>>;

/** The judge finds and names each error, and reports little else. */
export function testBroken(histories: Broken): void {
  test.each(Object.entries(histories))("%s", (_, [title, parts]) => {
    const found = titlesOf(parts);
    expect(found.map((each) => each.slice(0, title.length))).toContain(title);
    expect(new Set(found.map((each) => each.split(" ")[0])).size).toBeLessThan(3);
  });
}
