import { describe, expect, test } from "vitest";
import { crashAt } from "../support/familiar-histories.ts";
import { testBroken, titlesOf } from "../support/judged.ts";
import { get, schedule, unknown } from "../support/small-history.ts";
import type { SmallHistory } from "../support/small-history.ts";

const givenUp = { kind: "unknown", isGivenUp: true } as const;
const faults = [{ ...crashAt(20), node: "n2" }];
/** Calls asked this long after another node crashed, and then given up. */
const asked = (afterMs: number) => [
  schedule(),
  schedule({ key: "o", payload: "o", askedAt: 20 + afterMs, answeredAt: 9e4, answer: givenUp }),
];

describe("G7: calls get no answers any more", () => {
  testBroken({
    "calls that are still given up long after a node has died": [
      "G7 Never stuck: 1 calls were given up, the last of them a schedule 20001 ms after the last fault",
      { asked: asked(20_001), faults },
    ],
  });

  const kept: Record<string, SmallHistory> = {
    "while others still take over from it": { asked: asked(20_000), faults },
    "where the answer was lost on its way": {
      asked: [schedule(), get(30_000, 30_001, unknown)],
      faults,
    },
    "without a fault, when the service was only busy": { asked: asked(30_000) },
    "with faults to the end": { asked: asked(30_000), faults, bounds: { mode: "safety" } },
  };
  test.each(Object.entries(kept))("not %s", (_, parts) => {
    expect(titlesOf(parts)).toEqual([]);
  });
});
