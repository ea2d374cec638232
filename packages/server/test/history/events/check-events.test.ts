import { expect, test } from "vitest";
import type { EventType } from "../../../src/domain/events/event-types.ts";
import type { LoggedEvent } from "../../../src/domain/events/event.ts";
import {
  createEndpoint,
  everything,
  newEndpoint,
} from "../../../src/storage/conformance/events/event-harness.ts";
import {
  account,
  exhausted,
  farFuture,
  makeTarget,
  past,
  refTo,
  resultOf,
  schedule,
} from "../../../src/storage/conformance/harness.ts";
import { simulatedDatabase } from "../../simulation/model-store/support/simulated-database.ts";
import { toldIn } from "../../simulation/world/history-of.ts";
import type { ChangeAsked, History } from "../history.ts";
import { smallHistory } from "../support/small-history.ts";
import { checkEvents } from "./check-events.ts";
import type { EventReader, Reading, ToldEvents } from "./told-events.ts";

const failingAfter = { attempts: 2, ms: 0 };

/** One message was delivered, two became dead letters, and one was moved and cancelled. */
async function played(): Promise<History> {
  const { place, open, settle } = simulatedDatabase();
  const store = open("node");
  await settle(store.ensureAccount(account, "One"));
  const { targetKey } = await settle(makeTarget(store, "t", { failingAfter }));
  await settle(createEndpoint(store, newEndpoint("all")));
  const holder = await settle(store.join("node", "all"));
  for (const next of [exhausted, exhausted, { kind: "delivered" }] as const) {
    await settle(schedule(store, "t", past));
    const { claims } = await settle(store.claimDue(holder, [{ targetKey, limit: 1 }]));
    await settle(store.recordAttempts(holder, [resultOf(claims[0]!, next)]));
  }
  const message = await settle(schedule(store, "t", farFuture));
  const moved = { ...refTo(message), deliveryTime: farFuture + 1, waitMs: 0 };
  const asked: ChangeAsked[] = [];
  for (const verb of ["reschedule", "cancel"] as const) {
    const result = await settle(
      verb === "cancel"
        ? store.cancelMessage({ ...refTo(message), waitMs: 0 })
        : store.rescheduleMessage(moved),
    );
    if (result.kind !== "changed") throw new Error(`${verb}: ${result.kind}`);
    asked.push({
      ...{ accountId: account, writer: "w", verb, messageId: message.messageId },
      ...{ askedAt: asked.length * 10, answeredAt: asked.length * 10 + 5, dueAt: null },
      answer: { kind: "ok", message: result.message },
    });
  }
  const snapshot = place.snapshot();
  const { final, ...rest } = smallHistory({});
  const messages = new Map(
    snapshot.messages.map((each) => [each.message.messageId, each] as const),
  );
  return {
    ...rest,
    asked,
    final: { ...final, messages },
    events: { ...toldIn(snapshot), failingAfter: new Map([["t", failingAfter]]) },
  };
}

function judgeTold(history: History, change: Partial<ToldEvents>): string {
  return checkEvents({ ...history, events: { ...history.events!, ...change } })
    .map(({ messageId, says }) => `${messageId ?? ""} ${says}`)
    .join("\n");
}

const logIn = ({ events }: History): readonly LoggedEvent[] => events!.logs.get(account)!;

function judgeWith(
  history: History,
  change: (log: readonly LoggedEvent[]) => readonly LoggedEvent[],
): string {
  const dense = change(logIn(history)).map((event, index) => ({ ...event, position: index + 1 }));
  return judgeTold(history, { logs: new Map([[account, dense]]) });
}

test("a log that tells each change is right", async () => {
  const history = await played();
  expect(new Set(logIn(history).map(({ type }) => type)).size).toBe(8);
  expect(checkEvents(history)).toEqual([]);
});

const types: readonly EventType[] = [
  ...(["message.scheduled", "message.delivered", "message.attempt_failed"] as const),
  ...(["message.rescheduled", "message.cancelled", "message.dead_lettered"] as const),
  ...(["target.failing", "target.recovered"] as const),
];

test.each(types)("a log without one %s is wrong, and so is one that has it twice", async (type) => {
  const history = await played();
  const indexOf = (log: readonly LoggedEvent[]): number =>
    log.findLastIndex((event) => event.type === type);
  const without = (log: readonly LoggedEvent[]) => log.toSpliced(indexOf(log), 1);
  expect(judgeWith(history, without)).not.toBe("");
  const twice = (log: readonly LoggedEvent[]) =>
    log.toSpliced(indexOf(log), 0, { ...log[indexOf(log)]!, eventId: "evt_another" });
  expect(judgeWith(history, twice)).not.toBe("");
});

test("two neighbours of one message in the other order are wrong", async () => {
  const history = await played();
  const log = logIn(history);
  const subject = ({ data }: LoggedEvent) => data.message?.messageId ?? "";
  for (const [index, event] of log.entries()) {
    const next = log[index + 1];
    if (next === undefined || subject(next) === "" || subject(next) !== subject(event)) continue;
    expect(judgeWith(history, () => log.toSpliced(index, 2, next, event))).not.toBe("");
  }
});

test("an event of no message, gaps, repeats and another content are wrong", async () => {
  const history = await played();
  const invented = (log: readonly LoggedEvent[]) => {
    const [first] = log;
    const message = { ...first!.data.message!, messageId: "msg_nobody" };
    return [...log, { ...first!, eventId: "evt_new", data: { message } }];
  };
  expect(judgeWith(history, invented)).toMatch(/msg_nobody is gone/);
  const log = logIn(history);
  const logs = new Map([[account, log.toSpliced(1, 1)]]);
  expect(judgeTold(history, { logs })).toMatch(/the positions have gaps/);
  const again = (some: readonly LoggedEvent[]) => [...some, some[0]!];
  expect(judgeWith(history, again)).toMatch(/an event is there twice/);
  const other = (some: readonly LoggedEvent[]) =>
    some.map((event) =>
      event.type === "message.rescheduled"
        ? { ...event, data: { message: { ...event.data.message!, nextDeliveryTime: 7 } } }
        : event,
    );
  expect(judgeWith(history, other)).toMatch(/had a reschedule answered .*nobody was told/);
});

test("answers are held against the order of the calls, repeated schedules as they were first asked", async () => {
  const history = await played();
  const log = logIn(history);
  const [moved, cancelled] = history.asked;
  const swapped = [
    { ...moved!, askedAt: 20, answeredAt: 25 },
    { ...cancelled!, askedAt: 0, answeredAt: 5 },
  ];
  const judged = (asked: History["asked"]): string => judgeTold({ ...history, asked }, {});
  expect(judged(swapped)).toMatch(/was told of a reschedule before|told of a cancel before/);
  const { messageId } = moved as ChangeAsked;
  const { message } = log.find(({ data }) => data.message?.messageId === messageId)!.data;
  const repeated = {
    ...{ accountId: account, writer: "w", targetId: "t", payload: "" },
    verb: "schedule",
    ...{ key: "k", dueAt: farFuture, askedAt: 30, answeredAt: 35 },
    answer: { kind: "ok", message: { ...message!, options: null } },
  } as const;
  expect(judged([...history.asked, repeated])).toBe("");
});

test("changes of targets are counted", async () => {
  const history = await played();
  const targetChanges = new Map([[`${account}/t`, 1]]);
  expect(judgeTold(history, { targetChanges })).toMatch(/t was changed 1 times, and told of 0/);
});

const place = ({ position, eventId }: LoggedEvent) => ({ position, eventId });

/** A reader that gets the whole log by these connections. */
function readerOf(log: readonly LoggedEvent[], readings: readonly Partial<Reading>[]): EventReader {
  return {
    ...{ name: "r", accountId: account, filter: everything, reached: log.length },
    readings: readings.map((reading) => ({
      ...{ node: "n", after: 0, told: [], next: null, hasGap: false },
      ...reading,
    })),
  };
}

test("a reader gets what follows its place, and all of it in the end", async () => {
  const history = await played();
  const log = logIn(history);
  const some = log.slice(2, 6).map(place);
  const judged = (reading: Partial<Reading>): string =>
    judgeTold(history, { readers: [readerOf(log, [reading])] });
  expect(judged({ after: 2, told: some })).toBe("");
  expect(judged({ after: 2, told: some, next: 6 })).toBe("");
  expect(judged({ after: 3, told: some })).toMatch(/got 3 .* behind 3, where 4/);
  expect(judged({ after: 1, told: some })).toMatch(/got 3 .* behind 1, where 2/);
  expect(judged({ after: 2, told: some.toSpliced(1, 1) })).toMatch(/where 4/);
  expect(judged({ after: 2, told: some.with(1, some[0]!) })).toMatch(/where 4/);
  expect(judged({ after: 2, told: [{ position: 3, eventId: "evt_x" }] })).toMatch(/evt_x behind 2/);
  expect(judged({ after: 2, told: some, next: 7 })).toMatch(/sent on to 7/);
  expect(judged({ after: 2, told: some, next: 5 })).toMatch(/sent back to 5/);
  expect(judged({ after: 2, hasGap: true })).toMatch(/gap behind 2/);
  const lazy = { ...readerOf(log, []), reached: log.length - 1 };
  expect(judgeTold(history, { readers: [lazy] })).toMatch(/came to/);
  const picky = { ...readerOf(log, [{ after: 0, told: [] }]), reached: 0 };
  const filter = { ...everything, types: ["job.*"] };
  expect(judgeTold(history, { readers: [{ ...picky, filter }] })).toBe("");
});

test("a webhook gets all events in order", async () => {
  const history = await played();
  const arrivals = logIn(history).map(({ eventId }, index) => ({
    ...{ endpointId: "w", nodeId: null, eventIds: [eventId] },
    ...{ startedAt: 10 * index, takenAt: 10 * index + 1, endedAt: 10 * index + 2 },
  }));
  const webhook = { endpointId: "w", accountId: account, filter: everything, since: 0 };
  const judged = (given: typeof arrivals): string =>
    judgeTold(history, { webhooks: [{ ...webhook, arrivals: given }] });
  expect(judged(arrivals)).toBe("");
  expect(judged(arrivals.toSpliced(2, 1))).toMatch(/never took/);
  expect(judged(arrivals.with(2, { ...arrivals[2]!, startedAt: 5 }))).toMatch(
    /before it had taken/,
  );
  expect(judged(arrivals.with(2, { ...arrivals[2]!, eventIds: ["evt_x"] }))).toMatch(/not for it/);
});
