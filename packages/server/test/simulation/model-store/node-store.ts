import type { Clock } from "../../../src/platform/clock.ts";
import { instantOf } from "../../../src/domain/wanted-time.ts";
import type { WantedTime } from "../../../src/domain/wanted-time.ts";
import type { Timers } from "../../../src/platform/timers.ts";
import { pause } from "../../../src/platform/timers.ts";
import { ClaimGate } from "../../../src/storage/postgres/claims/claim-gate.ts";
import { HeldMessages } from "../../../src/storage/postgres/claims/held-messages.ts";
import { TestClaims } from "../../../src/storage/postgres/claims/test-claims.ts";
import type { WatchedMemberships } from "../../../src/storage/postgres/claims/watched-memberships.ts";
import { conditionsOf } from "../../../src/storage/change-result.ts";
import type { ChangeConditions } from "../../../src/storage/change-result.ts";
import { StoreUnavailable } from "../../../src/storage/store.ts";
import type { CancelRequest, ChangeResult, Sharing, Store } from "../../../src/storage/store.ts";
import type { ChangeAnswer } from "./claim-table.ts";
import type { Connection } from "./connection.ts";

export interface NodeStoreOptions {
  readonly connection: Connection;
  readonly watched: WatchedMemberships;
  /** The node's own clock. */
  readonly clock: Clock;
  readonly timers: Timers;
  /** Null if the node is alone on the database. */
  readonly sharing: Sharing | null;
  readonly storeClock: StoreClockEstimate;
  /** The epoch that the database assigned last, to any node. */
  readonly lastEpoch: () => number;
  readonly close: () => void;
}

export interface StoreClockEstimate {
  now(): number;
  /** Reads the store's clock again, as a node does at every renewal. */
  readAnew(): void;
  /** Reads it again if it was set since. */
  notice(): void;
}

/**
 * The store from a node's side: its calls to the database, and what it remembers of the answers. The memory
 * is on the node's side of any fault, as in the PostgreSQL store. A claim whose answer was lost is not in
 * it, so the next renewal voids that claim.
 */
export function createNodeStore(options: NodeStoreOptions): Store {
  const { connection, watched, clock, timers, sharing, storeClock } = options;
  const held = new HeldMessages();
  const gate = new ClaimGate();
  const tests = new TestClaims();
  let testsMade = 0;

  async function change(
    request: CancelRequest,
    wanted: WantedTime | null,
    more: ChangeConditions = {},
  ): Promise<ChangeResult> {
    const { accountId, messageId, waitMs } = request;
    let deliveryTime = wanted;
    const deadline = clock.monotonic() + waitMs;
    for (;;) {
      const result = await connection.changeNow({ ...more, accountId, messageId, deliveryTime });
      if (result.kind !== "held") return result;
      if (waitMs <= 0) return { kind: "in-flight" };
      const dueAt = instantOf(deliveryTime, result.seenAt);
      deliveryTime = dueAt;
      const asked = { ...more, accountId, messageId, deliveryTime: dueAt };
      const changeId = await connection.beginToWait(asked);
      const answer = changeId === undefined ? "again" : await waitFor(changeId, deadline);
      if (answer !== "again") return answer;
    }
  }

  async function waitFor(changeId: number, deadline: number): Promise<ChangeAnswer> {
    const waiting = new AbortController();
    const tooLong = pause(timers, deadline - clock.monotonic(), waiting.signal);
    const answering = connection.awaitAnswer(changeId);
    // If this fails after the race is lost, nobody needs to know.
    answering.catch(() => {});
    try {
      const heard = await Promise.race([answering, tooLong]);
      // The holder of the message may have decided at this very moment.
      const answer = await connection.takeBack(changeId);
      if (heard === undefined && answer === "again") return { kind: "in-flight" };
      return heard ?? answer ?? { kind: "in-flight" };
    } finally {
      waiting.abort();
    }
  }

  return {
    ...connection,
    clock: storeClock,
    sharing,
    cancelMessage: (request) => change(request, null),
    rescheduleMessage: (request) => change(request, request.deliveryTime, conditionsOf(request)),

    async join(nodeId, role) {
      const holder = await connection.join(nodeId, role, options.lastEpoch());
      held.begin(holder);
      tests.begin(holder);
      return holder;
    },
    async renew(holder) {
      storeClock.readAnew();
      const renewed = await connection.renew(holder);
      if (renewed) voidLost().catch(() => {});
      return renewed;

      function voidLost(): Promise<void> {
        return gate.closeFor(async () => {
          const ended = held.endGeneration(holder);
          if (ended === undefined) return;
          const known = [...ended.known, ...tests.keys()];
          await connection.voidLostClaims(holder, known, ended.generation);
        });
      }
    },
    leave(holder) {
      held.end(holder);
      tests.end(holder);
      return connection.leave(holder);
    },
    async endLapsedMemberships() {
      const [over, quiet] = [watched.over(), watched.quiet()];
      const { living, ...ended } = await connection.endLapsedMemberships(over, quiet);
      const areSomeGone = watched.note(living);
      return { ...ended, areSomeGone, nextEndMs: watched.nextOverMs() };
    },
    listNodes: () => connection.listNodes(watched.quiet()),
    async upcoming(window) {
      const found = await connection.upcoming(window);
      storeClock.notice();
      return found;
    },
    claimDue: (holder, requests) =>
      gate.pass(async () => {
        const generation = held.generationOf(holder);
        const { messages, ...result } = await connection.claimDue(holder, requests, generation);
        for (const [index, message] of messages.entries()) {
          held.keep(holder, { targetKey: result.claims[index]!.targetKey, message });
        }
        return result;
      }),
    async recordAttempts(holder, results) {
      const own = results
        .map(({ messageId, version }) => ({ version, found: held.find(holder, messageId) }))
        .filter(({ version, found }) => found?.message.version === version);
      const recorded = await connection.recordAttempts(holder, results);
      for (const { found } of own) held.drop(holder, found!);
      return recorded;
    },
    async releaseClaims(holder, messageIds) {
      for (const messageId of messageIds) {
        const known = held.find(holder, messageId);
        if (known !== undefined) held.drop(holder, known);
      }
      await connection.releaseClaims(holder, messageIds, held.generationOf(holder));
    },
    async beginTest(ref) {
      const { membership } = tests;
      if (membership === undefined) throw new StoreUnavailable("this node has not joined yet");
      const { epoch } = membership;
      const testKey = `${epoch}/${++testsMade}`;
      tests.add(testKey);
      try {
        const begun = await connection.beginTest(ref, {
          epoch,
          generation: held.generationOf(membership),
          testKey,
        });
        if (begun.kind !== "begun") tests.drop(testKey);
        return begun;
      } catch (error) {
        tests.drop(testKey);
        throw error;
      }
    },
    endTest(test) {
      tests.drop(test.testKey);
      return connection.endTest(test);
    },
    // Every call goes to the database at once.
    waitingCalls: () => 0,
    async close() {
      options.close();
    },
    ...(sharing === null ? livingAlone : {}),
  };
}

/** A node that is alone needs no heartbeat, so these calls do nothing. */
const livingAlone: Pick<Store, "renew" | "leave" | "endLapsedMemberships"> = {
  renew: () => Promise.resolve(true),
  leave: () => Promise.resolve(),
  endLapsedMemberships: () =>
    Promise.resolve({ count: 0, targetKeys: [], areSomeGone: false, nextEndMs: null }),
};
