import { expect, test } from "vitest";
import type { EventType } from "../../domain/events/event-types.ts";
import type { LoggedEvent } from "../../domain/events/event.ts";
import type { NextStep } from "../../domain/retry-policy.ts";
import {
  account,
  exhausted,
  farFuture,
  makeTarget,
  past,
  refTo,
  resultOf,
} from "../conformance/harness.ts";
import { createEndpoint, logOf, newEndpoint } from "../conformance/events/event-harness.ts";
import type { Holder, Store } from "../store.ts";
import { testStores } from "./testing/test-stores.ts";

const makeStores = testStores();

const changes = 2_000;
const targetIds = ["a", "b"];

/** A generator that gives the same numbers for the same seed: whole ones from 0 up to, but without, `below`. */
function drawing(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What callers were told that has happened to each message. */
class Told {
  readonly #byMessage = new Map<string, EventType[]>();

  add(messageId: string, ...types: EventType[]): void {
    this.#byMessage.set(messageId, [...(this.#byMessage.get(messageId) ?? []), ...types]);
  }

  /** Without their order: who was told first need not have come first. */
  sorted(): Record<string, EventType[]> {
    return Object.fromEntries([...this.#byMessage].map(([id, types]) => [id, types.toSorted()]));
  }
}

interface Node {
  readonly store: Store;
  readonly holder: Holder;
}

/** One change after the other, each of a message that another node may change at the same time. */
async function play(
  { store, holder }: Node,
  draw: (below: number) => number,
  { messageIds, targetKeys, told }: World,
): Promise<void> {
  const ref = () => refTo({ messageId: messageIds[draw(messageIds.length)]! });
  const deliveryTime = () => (draw(3) === 0 ? farFuture : past);
  const steps: readonly (() => Promise<unknown>)[] = [
    async () => {
      const request = { accountId: account, targetId: targetIds[draw(2)]!, payload: "x" };
      const options = draw(2) === 0 ? null : { labels: { a: "b" } };
      const rest = { deliveryTime: deliveryTime(), options, idempotency: null };
      const [result] = await store.scheduleMessages([{ ...request, ...rest }]);
      if (result?.kind !== "scheduled") throw new Error(`not scheduled: ${result?.kind}`);
      told.add(result.message.messageId, "message.scheduled");
      messageIds.push(result.message.messageId);
    },
    async () => {
      const asked = ref();
      const result = await store.cancelMessage({ ...asked, waitMs: draw(2) * 5 });
      if (result.kind === "changed") told.add(asked.messageId, "message.cancelled");
    },
    async () => {
      const asked = ref();
      const time = { deliveryTime: deliveryTime(), waitMs: draw(2) * 5 };
      const result = await store.rescheduleMessage({ ...asked, ...time });
      if (result.kind === "changed") told.add(asked.messageId, "message.rescheduled");
    },
    async () => {
      const targetKey = targetKeys[draw(2)]!;
      const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 + draw(4) }]);
      if (draw(6) === 0)
        return store.releaseClaims(
          holder,
          claims.map(({ messageId }) => messageId),
        );
      const nexts: NextStep[] = [{ kind: "delivered" }, { kind: "retry", delayMs: 0 }, exhausted];
      const results = claims.map((claim) => resultOf(claim, nexts[draw(3)]!));
      const recorded = await store.recordAttempts(holder, results);
      for (const [index, { messageId, next }] of results.entries()) {
        const result = recorded[index]!;
        if (result.kind === "stale") throw new Error("nobody takes claims of living nodes over");
        if (next.kind === "delivered") told.add(messageId, "message.delivered");
        else told.add(messageId, "message.attempt_failed");
        // A change that waited may have taken the place of the end.
        if (result.message.state === "DEAD_LETTER") told.add(messageId, "message.dead_lettered");
      }
      return undefined;
    },
  ];
  await steps[draw(steps.length)]!();
}

interface World {
  readonly messageIds: string[];
  readonly targetKeys: readonly number[];
  readonly told: Told;
}

/** Whether one event of a message may follow another: by the states that both show. */
function follows(before: LoggedEvent | undefined, { type, data }: LoggedEvent): boolean {
  if (before === undefined) return type === "message.scheduled";
  const [was, is] = [before.data.message!, data.message!];
  if (is.deliveryFailureCount < was.deliveryFailureCount) return false;
  switch (type) {
    case "message.scheduled":
      return false;
    case "message.dead_lettered":
      return before.type === "message.attempt_failed" && was.state === "DEAD_LETTER";
    case "message.rescheduled":
      return was.state !== "DELIVERED" && is.state === "SCHEDULED";
    default:
      return was.state === "SCHEDULED";
  }
}

test("of 2,000 changes by three nodes at once, the log tells what their callers were told", async () => {
  const { open } = await makeStores();
  const stores = [await open(), await open(), await open()];
  const [first] = stores;
  await first!.ensureAccount(account, "One");
  const targets = await Promise.all(targetIds.map((id) => makeTarget(first!, id)));
  await createEndpoint(first!, newEndpoint("all", { filter: { types: ["message.*"] } }));
  const told = new Told();
  const world = { messageIds: [] as string[], told, targetKeys: targets.map((t) => t.targetKey) };
  const nodes: Node[] = [];
  for (const [index, store] of stores.entries()) {
    nodes.push({ store, holder: await store.join(`node ${index}`, "all") });
    for (let count = 0; count < 5; count++) {
      const request = { accountId: account, targetId: "a", payload: "x", options: null };
      const [result] = await store.scheduleMessages([
        { ...request, deliveryTime: past, idempotency: null },
      ]);
      if (result?.kind !== "scheduled") throw new Error(`not scheduled: ${result?.kind}`);
      world.messageIds.push(result.message.messageId);
      told.add(result.message.messageId, "message.scheduled");
    }
  }
  let left = changes;
  const line = async (node: Node, seed: number): Promise<void> => {
    const draw = drawing(seed);
    while (left-- > 0) await play(node, draw, world);
  };
  const over = new AbortController();
  const moving = stores.map(async (store) => {
    while (!over.signal.aborted) await store.moveEvents(50);
  });
  await Promise.all(
    nodes.flatMap((node, index) => [line(node, 2 * index), line(node, 2 * index + 1)]),
  );
  over.abort();
  await Promise.all(moving);

  const events = await logOf(first!);
  expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1));
  const byMessage = Map.groupBy(events, ({ data }) => data.message!.messageId);
  const types = [...byMessage].map(([id, own]) => [id, own.map(({ type }) => type).toSorted()]);
  expect(Object.fromEntries(types)).toEqual(told.sorted());
  for (const own of byMessage.values()) {
    const wrong = own.findIndex((event, index) => !follows(own[index - 1], event));
    expect(wrong < 0 ? [] : own.slice(0, wrong + 1)).toEqual([]);
  }
  for (const [id, own] of byMessage) {
    const now = await first!.getMessage(refTo({ messageId: id }));
    const { options: _, ...shown } = own.at(-1)!.data.message!;
    expect(now).toMatchObject(shown);
  }
}, 300_000);
