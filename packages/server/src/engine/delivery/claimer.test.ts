import { expect, test } from "vitest";
import { defaultRetryPolicy } from "../../domain/retry-policy.ts";
import type { ClaimResult } from "../../storage/store.ts";
import { engineBounds } from "./bounds.ts";
import { Capacity } from "./capacity.ts";
import { Claimer } from "./claimer.ts";
import { DueTargets } from "./due-targets.ts";
import { Lanes } from "./lanes.ts";
import type { OpenTarget } from "./lane.ts";
import { LaneStandings } from "./lane-standings.ts";
import { ReadyLanes } from "./ready-lanes.ts";

const now = 1_000_000;
const holder = { nodeId: "node", epoch: 1 };

const target: OpenTarget = {
  ...{ targetKey: 1, accountId: "acc", targetId: "t", kind: "webhook" },
  ...{ sealedSettings: "", sealedSecrets: "", retryPolicy: defaultRetryPolicy },
  ...{ maxConcurrency: 50, rateLimit: null, paused: false, failingAfter: null },
  ...{ creationTime: 0, updateTime: 0, revision: 1 },
  settings: { url: "http://x", headers: {}, contentType: "text/plain", timeoutMs: 1 },
  secrets: null,
};

/** A claim of one target. The store answers that its limit allows nothing for a minute. */
async function claimClosed(during: (standings: LaneStandings) => void) {
  const lanes = new Lanes(engineBounds);
  const standings = new LaneStandings({
    clock: { monotonic: () => 0 },
    ...{ lanes, ready: new ReadyLanes(), wake: () => {} },
  });
  const due = new DueTargets({
    store: { clock: { now: () => now } },
    role: "all",
    precedence: { delayMs: () => 0 },
    bounds: engineBounds,
    onNoted: () => {},
  });
  const answer: ClaimResult = {
    now,
    claims: [],
    targets: [{ targetKey: 1, revision: 1, nextDueAt: now - 5, closedMs: 60_000 }],
  };
  const unused = () => expect.fail("nothing was claimed");
  const claimer = new Claimer({
    store: {
      async claimDue() {
        during(standings);
        return answer;
      },
      releaseClaims: unused,
    },
    observer: { claimed: () => {}, trouble: unused },
    copies: { forgetOlderThan: () => {} },
    deliveries: { begin: unused },
    ...{ due, lanes, standings },
  });
  const lane = lanes.get(1, "acc");
  const reservation = new Capacity(10).reserve("acc", lane, 1)!;
  await claimer.claim(holder, [{ lane, target, reservation, changesBefore: lane.changes }]);
  return { nextDueAt: due.nextDueAt, nextOpensAt: standings.nextOpensAt };
}

test("a target over its rate is asked again when the store says so", async () => {
  expect(await claimClosed(() => {})).toEqual({ nextDueAt: Infinity, nextOpensAt: 60_000 });
});

test("a target that changed during the claim is asked again at once: its limit may be another one", async () => {
  const atOnce = { nextDueAt: now - 5, nextOpensAt: Infinity };
  expect(await claimClosed((standings) => standings.targetChanged(1))).toEqual(atOnce);
  expect(await claimClosed((standings) => standings.revisionFound(1, 2))).toEqual(atOnce);
});
