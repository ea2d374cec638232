import { expect, test } from "vitest";
import type { Message } from "../../domain/message.ts";
import type { ListRequest, Store } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import {
  account,
  farFuture,
  makeTarget,
  note,
  otherAccount,
  past,
  refTo,
  resultOf,
  schedule,
  storesOf,
} from "./harness.ts";

const everything: ListRequest = {
  accountId: account,
  targetId: "t",
  minTime: null,
  maxTime: null,
  after: null,
  limit: 100,
};

export function listSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  test("scheduled messages of one target are listed by time, then by id", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    await makeTarget(store, "u");
    await makeTarget(store, "t", { accountId: otherAccount });
    const late = await schedule(store, "t", farFuture + 5);
    const tie1 = await schedule(store, "t", farFuture);
    const tie2 = await schedule(store, "t", farFuture);
    const ancient = await schedule(store, "t", -62_135_596_800_000);
    await schedule(store, "u", farFuture);
    await schedule(store, "t", farFuture, { accountId: otherAccount });
    const cancelled = await schedule(store, "t", farFuture);
    await store.cancelMessage({ ...refTo(cancelled), waitMs: 0 });
    expect(await store.listScheduledMessages(everything)).toEqual([ancient, tie1, tie2, late]);
    expect(await store.listScheduledMessages({ ...everything, targetId: "none" })).toEqual([]);
    expect(await store.listScheduledMessages({ ...everything, accountId: "acc_x" })).toEqual([]);
  });

  test("both bounds are inclusive", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const messages: Message[] = [];
    for (let index = 0; index < 4; index++) {
      messages.push(await schedule(store, "t", farFuture + index));
    }
    const between = await store.listScheduledMessages({
      ...everything,
      minTime: farFuture + 1,
      maxTime: farFuture + 2,
    });
    expect(between).toEqual(messages.slice(1, 3));
  });

  test("paging gives every message once and in order, with many equal times and any page size", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const messages: Message[] = [];
    for (let index = 0; index < 40; index++) {
      messages.push(await schedule(store, "t", farFuture + Math.floor(index / 9)));
    }
    for (const limit of [1, 7, 100]) {
      expect(await walk(store, { ...everything, limit })).toEqual(messages);
    }
    expect(
      await walk(store, {
        ...everything,
        limit: 2,
        minTime: farFuture + 1,
        maxTime: farFuture + 3,
      }),
    ).toEqual(messages.slice(9, 36));
  });

  test("messages that move between pages do not disturb the others", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const messages: Message[] = [];
    for (let index = 0; index < 10; index++) messages.push(await schedule(store, "t", farFuture));
    const seen = await store.listScheduledMessages({ ...everything, limit: 5 });
    await store.cancelMessage({ ...refTo(messages[4]!), waitMs: 0 });
    await store.cancelMessage({ ...refTo(messages[7]!), waitMs: 0 });
    const last = seen.at(-1)!;
    const rest = await store.listScheduledMessages({
      ...everything,
      after: { time: last.nextDeliveryTime!, messageId: last.messageId },
    });
    expect(rest).toEqual([messages[5], messages[6], messages[8], messages[9]]);
  });

  test("dead letters are listed by their dead letter time, also for a removed target", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const holder = await store.join("node", "all");
    const dead: Message[] = [];
    for (let index = 0; index < 3; index++) {
      const message = await schedule(store, "t", past);
      const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
      await store.recordAttempts(holder, [
        resultOf(claims[0]!, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" }),
      ]);
      dead.push((await store.getMessage(refTo(message)))!);
    }
    expect(await store.listDeadLetters(everything)).toEqual(dead);
    expect(await store.listScheduledMessages(everything)).toEqual([]);
    expect(
      await store.listDeadLetters({ ...everything, maxTime: dead[0]!.deadLetterTime! - 1 }),
    ).toEqual([]);
    const [first] = dead;
    const rest = await store.listDeadLetters({
      ...everything,
      after: { time: first!.deadLetterTime!, messageId: first!.messageId },
    });
    expect(rest).toEqual(dead.slice(1));
    await store.removeTarget({ accountId: account, targetId: "t" }, note());
    expect(await store.listDeadLetters(everything)).toEqual(dead);
  });

  async function walk(store: Store, request: ListRequest): Promise<Message[]> {
    const items: Message[] = [];
    let after = request.after;
    for (;;) {
      const page = await store.listScheduledMessages({ ...request, after });
      items.push(...page);
      const last = page.at(-1);
      if (last === undefined) return items;
      after = { time: last.nextDeliveryTime!, messageId: last.messageId };
    }
  }
}
