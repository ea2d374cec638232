import type { NextStep } from "../../../src/domain/retry-policy.ts";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { account, makeTarget, refTo } from "../../../src/storage/conformance/harness.ts";
import type { Claim, Holder, Store } from "../../../src/storage/store.ts";
import { seededRandom } from "../world/seeded-random.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import type { Snapshot } from "./snapshot.ts";
import { simulatedDatabase } from "./support/simulated-database.ts";
import type { StoreFault, StoreFaults } from "./with-faults.ts";

const kinds: readonly StoreFault["kind"][] = [
  ...Array<"fine">(20).fill("fine"),
  "fails-before",
  "fails-after",
  "happens-late",
];

function randomFaults(random: SeededRandom): StoreFaults {
  const delay = (): number => (random.happens(0.7) ? 0 : random.between(0, 300));
  return {
    dead: false,
    next: () => ({ kind: random.pick(kinds), beforeMs: delay(), afterMs: delay() }),
  };
}

/** Three nodes make all kinds of calls at once. The calls fail or take time. */
async function runFor(seed: string, rounds: number): Promise<{ hash: string; snapshot: Snapshot }> {
  const random = seededRandom(`${seed}/run`);
  const { place, open, settle, pass, time } = simulatedDatabase({}, seed);
  const calm = open("calm");
  await settle(calm.ensureAccount(account, "One"));
  const { targetKey } = await settle(makeTarget(calm, "t", { maxConcurrency: 5 }));
  const nodes = ["a", "b", "c"].map((nodeId) => {
    const faults = randomFaults(random.fork(nodeId));
    const store = open(nodeId, { faults, retentionMs: 20_000, clockErrorMs: 5 });
    return { nodeId, store, holder: undefined as Holder | undefined, claims: [] as Claim[] };
  });
  const known: string[] = [];
  const log: string[] = [];

  const acts: ((node: (typeof nodes)[number]) => Promise<unknown>)[] = [
    async ({ store }) => {
      const key = random.happens(0.3)
        ? { key: `k${random.between(1, 9)}`, fingerprint: "f" }
        : null;
      const deliveryTime = time.now() + random.between(-1_000, 5_000);
      const options = random.happens(0.3)
        ? { notAfterMs: random.between(1, 3_000), flexWindowMs: random.between(1, 2_000) }
        : null;
      const request = {
        accountId: account,
        targetId: "t",
        deliveryTime,
        options,
        idempotency: key,
      };
      const [result] = await store.scheduleMessages([{ ...request, payload: seed }]);
      if (result?.kind === "scheduled") known.push(result.message.messageId);
      return result?.kind;
    },
    ({ store }) => changeOne(store, 0),
    ({ store }) => changeOne(store, random.between(1, 2_000)),
    async (node) => {
      if (node.holder === undefined) node.holder = await node.store.join(node.nodeId, "all");
      const { claims } = await node.store.claimDue(node.holder, [{ targetKey, limit: 3 }]);
      node.claims.push(...claims);
      return claims.length;
    },
    async (node) => {
      const { store, holder } = node;
      const [claim] = node.claims;
      if (claim === undefined || holder === undefined) return "nothing";
      const done = (): void => void (node.claims = node.claims.filter((each) => each !== claim));
      const outcome = random.pick(["delivered", "retry", "dead-letter", "release"] as const);
      if (outcome === "release") {
        await store.releaseClaims(holder, [claim.messageId]);
        return done();
      }
      const next: NextStep =
        outcome === "retry"
          ? { kind: outcome, delayMs: 500 }
          : { kind: outcome, reason: "FINAL_ANSWER" };
      const attempt = {
        number: claim.attemptNumber,
        startTime: time.now(),
        endTime: time.now(),
        outcome: outcome === "delivered" ? ("DELIVERED" as const) : ("TIMEOUT" as const),
        statusCode: null,
        error: null,
        response: null,
      };
      const { messageId, version } = claim;
      const [result] = await store.recordAttempts(holder, [{ messageId, version, attempt, next }]);
      done();
      return result?.kind;
    },
    async (node) => {
      if (node.holder !== undefined && !(await node.store.renew(node.holder))) {
        node.holder = undefined;
        node.claims = [];
      }
      return (await node.store.endLapsedMemberships()).count;
    },
    ({ store }) => store.removeExpired(5),
    ({ store }) => store.endOutrun(2),
    ({ store }) => store.upcoming({ after: null, until: time.now() + 2_000, limit: 7 }),
  ];

  async function changeOne(store: Store, waitMs: number): Promise<unknown> {
    if (known.length === 0) return "nothing";
    const ref = { ...refTo({ messageId: random.pick(known) }), waitMs };
    const deliveryTime = time.now() + random.between(0, 5_000);
    return random.happens(0.5)
      ? (await store.cancelMessage(ref)).kind
      : (await store.rescheduleMessage({ ...ref, deliveryTime })).kind;
  }

  for (let round = 0; round < rounds; round++) {
    const act = random.between(0, acts.length - 1);
    const node = random.pick(nodes);
    acts[act]!(node).then(
      (answer) => log.push(`${time.monotonic()} ${round} ${JSON.stringify(answer)}`),
      (error: Error) => log.push(`${time.monotonic()} ${round} ${error.name}`),
    );
    await pass(random.between(0, 100));
  }
  await pass(20_000);
  const snapshot = place.snapshot();
  expect(place.problems).toEqual([]);
  const hash = createHash("sha256")
    .update(JSON.stringify([log, snapshot]))
    .digest("hex");
  return { hash, snapshot };
}

test("a seed always gives the same run, to the last id and answer, and the database stays consistent", async () => {
  const first = await runFor("one", 4_000);
  expect((await runFor("one", 4_000)).hash).toBe(first.hash);
  expect((await runFor("another", 400)).hash).not.toBe(first.hash);
  const states = new Set(first.snapshot.messages.map(({ message }) => message.state));
  expect(states.size).toBe(4);
});
