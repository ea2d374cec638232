import { expect, test } from "vitest";
import type { ConflictMode } from "../../../src/domain/message-key.ts";
import type { Message } from "../../../src/domain/message.ts";
import type { ScheduleDefinition } from "../../../src/domain/schedules/schedule.ts";
import { backfillFilter } from "../../../src/domain/schedules/steps/backfill-job.ts";
import {
  account,
  farFuture,
  limitMessages,
  makeTarget,
  note,
  past,
  refTo,
  resultOf,
  schedule,
} from "../../../src/storage/conformance/harness.ts";
import {
  createEndpoint,
  logOf,
  newEndpoint,
} from "../../../src/storage/conformance/events/event-harness.ts";
import { advance, joinAndTake, start } from "../../../src/storage/conformance/jobs/job-harness.ts";
import {
  every,
  hourly,
  scheduleNote,
} from "../../../src/storage/conformance/schedules/schedule-harness.ts";
import type {
  RunView,
  ScheduleRequest,
  ScheduleResult,
  Store,
} from "../../../src/storage/store.ts";
import { defectNames } from "./defects.ts";
import type { DefectName } from "./defects.ts";
import { leaseMs, SetFaults, simulatedDatabase } from "./support/simulated-database.ts";
import type { SimulatedPlace } from "./support/simulated-database.ts";

interface Subject extends SimulatedPlace {
  readonly store: Store;
  readonly targetKey: number;
}

const everything = { accountId: account, targetId: "t", minTime: null, maxTime: null };

/** A request for the key "k", and what became of it. */
async function wantKey(
  store: Store,
  onConflict: ConflictMode,
  change: Partial<ScheduleRequest> = {},
): Promise<ScheduleResult & { message: Message }> {
  const [result] = await store.scheduleMessages([
    {
      accountId: account,
      targetId: "t",
      deliveryTime: farFuture,
      payload: "old",
      options: { key: "k" },
      wantedKey: { key: "k", onConflict, maxWaitMs: null },
      idempotency: null,
      ...change,
    },
  ]);
  return result as ScheduleResult & { message: Message };
}

async function inFlight({ store, targetKey, settle }: Subject) {
  const { message } = await settle(wantKey(store, "reject", { deliveryTime: past }));
  const holder = await settle(store.join("one", "all"));
  const { claims } = await settle(store.claimDue(holder, [{ targetKey, limit: 1 }]));
  return { message, holder, claim: claims[0]! };
}

async function attempted(subject: Subject) {
  const { message, holder, claim } = await inFlight(subject);
  const failed = [resultOf(claim, { kind: "retry", delayMs: 3_600_000 })];
  await subject.settle(subject.store.recordAttempts(holder, failed));
  return { message };
}

/** For each defect, an action that goes right only without the defect. */
const trials: Record<DefectName, (subject: Subject) => Promise<boolean>> = {
  async "result-not-fenced"({ store, targetKey, settle }) {
    await settle(schedule(store, "t", past));
    const holder = await settle(store.join("one", "all"));
    const { claims } = await settle(store.claimDue(holder, [{ targetKey, limit: 1 }]));
    await settle(store.join("one", "all"));
    const late = [resultOf(claims[0]!, { kind: "delivered" })];
    return (await settle(store.recordAttempts(holder, late)))[0]!.kind === "stale";
  },
  async "cancel-without-version-check"({ store, targetKey, settle }) {
    const message = await settle(schedule(store, "t", past));
    const holder = await settle(store.join("one", "all"));
    await settle(store.claimDue(holder, [{ targetKey, limit: 1 }]));
    const answer = await settle(store.cancelMessage({ ...refTo(message), waitMs: 0 }));
    return answer.kind === "in-flight";
  },
  async "quota-check-then-insert"({ store, settle }) {
    await settle(limitMessages(store, account, 3));
    const calls = Array.from({ length: 5 }, () => schedule(store, "t", farFuture));
    await settle(Promise.allSettled(calls));
    return (await settle(store.counts())).pending === 3;
  },
  async "page-cursor-off-by-one"({ store, settle }) {
    const made = [];
    for (let index = 0; index < 3; index++)
      made.push(await settle(schedule(store, "t", farFuture)));
    const after = { time: farFuture, messageId: made[0]!.messageId };
    const rest = await settle(store.listScheduledMessages({ ...everything, after, limit: 9 }));
    return rest.length === 2;
  },
  async "retry-budget-not-reset"({ store, targetKey, settle }) {
    const message = await settle(schedule(store, "t", past));
    const holder = await settle(store.join("one", "all"));
    const request = [{ targetKey, limit: 1 }];
    const { claims } = await settle(store.claimDue(holder, request));
    const dead = [resultOf(claims[0]!, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" })];
    await settle(store.recordAttempts(holder, dead));
    await settle(store.rescheduleMessage({ ...refTo(message), deliveryTime: past, waitMs: 0 }));
    const again = await settle(store.claimDue(holder, request));
    return again.claims[0]!.attemptsThisRound === 0;
  },
  async "commit-lost"({ store, settle, place }) {
    const message = await settle(schedule(store, "t", farFuture));
    place.crash("node");
    return (await settle(store.getMessage(refTo(message)))) !== undefined;
  },
  async "due-by-a-wrong-clock"({ store, targetKey, settle, time }) {
    await settle(schedule(store, "t", time.now() + 1_000));
    const holder = await settle(store.join("one", "all"));
    return (await settle(store.claimDue(holder, [{ targetKey, limit: 1 }]))).claims.length === 0;
  },
  async "late-look-voids-newer-claims"({ open, targetKey, settle, pass }) {
    const faults = new SetFaults();
    const store = open("late", { faults });
    const holder = await settle(store.join("late", "all"));
    faults.set("voidLostClaims", { kind: "happens-late", beforeMs: 500, afterMs: 1_000 });
    await settle(store.renew(holder));
    await pass(1_000);
    await settle(schedule(store, "t", past));
    const request = [{ targetKey, limit: 1 }];
    await settle(store.claimDue(holder, request));
    await pass(1_000);
    return (await settle(store.claimDue(holder, request))).claims.length === 0;
  },
  async "lease-never-ends"({ store, settle, pass }) {
    await settle(store.join("one", "all"));
    await settle(store.endLapsedMemberships());
    await pass(leaseMs);
    return (await settle(store.endLapsedMemberships())).count === 1;
  },
  async "lease-by-the-stores-clock"({ store, settle, clock }) {
    await settle(store.join("one", "all"));
    await settle(store.endLapsedMemberships());
    clock.step(60_000);
    return (await settle(store.endLapsedMemberships())).count === 0;
  },
  async "rate-closed-after-step-back"({ store, settle, pass, clock }) {
    const rateLimit = { max: 1, intervalMs: 1_000 };
    const { targetKey } = await settle(makeTarget(store, "slow", { rateLimit }));
    for (let index = 0; index < 2; index++) await settle(schedule(store, "slow", past));
    const holder = await settle(store.join("one", "all"));
    const request = [{ targetKey, limit: 1 }];
    await settle(store.claimDue(holder, request));
    clock.step(-60_000);
    await settle(store.claimDue(holder, request));
    await pass(2_000);
    return (await settle(store.claimDue(holder, request))).claims.length === 1;
  },
  async "claims-after-the-bound"({ store, targetKey, settle, pass }) {
    await settle(schedule(store, "t", { delayMs: 0 }, { options: { notAfterMs: 1_000 } }));
    await pass(1_000);
    const holder = await settle(store.join("one", "all"));
    return (await settle(store.claimDue(holder, [{ targetKey, limit: 1 }]))).claims.length === 0;
  },
  async "job-forgets-whom-it-met"({ store, settle, pass }) {
    const message = await settle(schedule(store, "t", farFuture));
    const job = await settle(start(store, { action: "shift", byMs: 1 }));
    const holder = await settle(joinAndTake(store));
    for (let step = 0; step < 3; step++) {
      await settle(advance(store, holder, job));
      await pass(1_000);
    }
    const shifted = await settle(store.getMessage(refTo(message)));
    return shifted?.nextDeliveryTime === farFuture + 1;
  },
  async "replaced-message-lives-on"(subject) {
    const { store, settle } = subject;
    const { message } = await attempted(subject);
    await settle(wantKey(store, "replace"));
    return (await settle(store.getMessage(refTo(message))))!.state === "CANCELLED";
  },
  async "payload-not-replaced"({ store, settle }) {
    const { message } = await settle(wantKey(store, "reject"));
    await settle(wantKey(store, "replace", { payload: "new" }));
    return (await settle(store.getPayload(refTo(message)))) === "new";
  },
  async "replaced-in-flight"(subject) {
    const { store, settle } = subject;
    const { message } = await inFlight(subject);
    await settle(wantKey(store, "replaceKeepTime", { options: { key: "k", labels: { a: "b" } } }));
    return (await settle(store.getMessage(refTo(message))))!.options!.labels === undefined;
  },
  async "key-free-in-flight"(subject) {
    await inFlight(subject);
    return (await subject.settle(wantKey(subject.store, "reject"))).kind === "key-taken";
  },
  async "cursor-committed-apart"({ store, settle, pass, place }) {
    await settle(createSchedule(store, every(60_000)));
    await pass(55_000);
    const holder = await settle(store.join("one", "all"));
    const { runs } = await settle(store.advanceSchedules(holder, 9));
    place.crash("node");
    const again = await settle(store.advanceSchedules(holder, 9));
    return runs.CREATED === 1 && again.runs.CREATED === 0;
  },
  async "catch-up-counts-the-pause"({ store, settle, pass }) {
    await settle(createSchedule(store, every(60_000)));
    const pause = { kind: "pause", note: null, until: null } as const;
    await settle(store.changeSchedule(ref, pause, scheduleNote("s")));
    await pass(200_000);
    await settle(store.changeSchedule(ref, { kind: "resume" }, scheduleNote("s")));
    return (await settle(runsOf(store))).length === 0;
  },
  async "fold-fires-twice"({ store, settle, pass, clock }) {
    clock.step(Date.UTC(2031, 9, 26, 0, 29) - clock.now());
    const cron = ["30 2 * * *"];
    await settle(createSchedule(store, hourly({ cron, timeZone: "Europe/Berlin" })));
    let made = 0;
    for (const timeMs of [56_000, 3_600_000]) {
      await pass(timeMs);
      const holder = await settle(store.join("one", "all"));
      made += (await settle(store.advanceSchedules(holder, 9))).runs.CREATED;
    }
    return made === 1;
  },
  async "edit-loses-the-flex-window"({ store, settle, pass }) {
    const definition = every(600_000, { flexWindowMs: 500_000 });
    await settle(createSchedule(store, definition));
    await pass(599_000);
    const holder = await settle(store.join("one", "all"));
    await settle(store.advanceSchedules(holder, 9));
    await pass(2_000);
    const edit = { kind: "define", definition, ifRevision: null } as const;
    await settle(store.changeSchedule(ref, edit, scheduleNote("s")));
    return (await settle(runsOf(store)))[0]?.messageState === "SCHEDULED";
  },
  async "edit-counts-again"({ store, settle }) {
    await settle(createSchedule(store, every(1_000)));
    const definition = every(1_000, { payload: "new" });
    const edit = { kind: "define", definition, ifRevision: null } as const;
    await settle(store.changeSchedule(ref, edit, scheduleNote("s")));
    return (await settle(store.getUsage(account)))?.used === 5;
  },
  async "resume-forgets-schedules"({ store, settle, pass }) {
    await settle(createSchedule(store, every(60_000)));
    await settle(store.updateAccount(account, { state: "SUSPENDED" }, note()));
    await pass(58_000);
    const holder = await settle(store.join("one", "all"));
    await settle(store.advanceSchedules(holder, 9));
    await settle(store.updateAccount(account, { state: "ACTIVE" }, note()));
    return (await settle(store.advanceSchedules(holder, 9))).runs.CREATED === 1;
  },
  async "skipped-runs-pile-up"({ store, settle, pass }) {
    await settle(limitMessages(store, account, 0));
    const catchUp = { mode: "all", windowMs: 3_600_000 } as const;
    await settle(createSchedule(store, every(1_000, { catchUp })));
    await pass(2_100_000);
    const holder = await settle(store.join("one", "all"));
    for (let looks = 0; looks < 12; looks++) await settle(store.advanceSchedules(holder, 9));
    return (await settle(runsOf(store, 9_999))).length <= 1_200;
  },
  async "older-data-computes"({ open, settle, pass }) {
    const older = open("older", { timeZoneVersion: "2026a" });
    const newer = open("newer", { timeZoneVersion: "2026b" });
    await settle(createSchedule(older, every(60_000)));
    await pass(55_000);
    await settle(newer.join("newer", "all"));
    const holder = await settle(older.join("older", "all"));
    return (await settle(older.advanceSchedules(holder, 9))).advanced === 0;
  },
  async "dead-letters-in-order-of-ends"(subject) {
    return !(await isPausedAfter(["1 delivered", "0 dead", "2 dead"], subject));
  },
  async "late-ends-not-seen"(subject) {
    return isPausedAfter(["0 dead", "1 dead"], subject);
  },
  async "backfill-before-the-cursor-comes"({ store, settle, pass, clock }) {
    await settle(createSchedule(store, every(60_000)));
    const span = { from: clock.now(), until: clock.now() + 61_000 };
    await pass(62_000);
    const filter = backfillFilter({ scheduleId: "s", targetId: "t" }, span);
    const job = await settle(start(store, { action: "backfill", filter }));
    const holder = await settle(joinAndTake(store));
    await settle(advance(store, holder, job));
    return (await settle(runsOf(store))).every(({ runTime }) => runTime === span.from);
  },
  async "event-committed-apart"({ store, settle, pass, place }) {
    await settle(createEndpoint(store, newEndpoint("all")));
    await settle(schedule(store, "t", farFuture));
    place.crash("node");
    await pass(1_000);
    return (await settle(logOf(store))).length === 1;
  },
  async "positions-by-sequence"({ store, settle }) {
    await settle(createEndpoint(store, newEndpoint("all")));
    for (let count = 0; count < 4; count++) await settle(schedule(store, "t", farFuture));
    return (await settle(logOf(store))).length === 4;
  },
  async "expires-scheduled"({ store, settle, pass }) {
    await settle(schedule(store, "t", farFuture));
    await pass(60_000);
    await settle(store.removeExpired(10));
    return (await settle(store.counts())).pending === 1;
  },
};

const ref = { accountId: account, scheduleId: "s" };

function createSchedule(store: Store, definition: ScheduleDefinition): Promise<unknown> {
  return store.createSchedule({ ...ref, definition }, scheduleNote("s"));
}

async function runsOf(store: Store, limit = 99): Promise<readonly RunView[]> {
  return (await store.listRuns({ ...ref, before: null, limit }))!;
}

/** Whether a schedule that allows one dead letter is paused after runs of the first three have ended in this order, with a look after each. */
async function isPausedAfter(
  ends: readonly `${0 | 1 | 2} ${"delivered" | "dead"}`[],
  { store, targetKey, settle, pass }: Subject,
): Promise<boolean> {
  await settle(createSchedule(store, every(1_000, { pauseAfterDeadLetters: 2, maxRuns: 3 })));
  await pass(3_000);
  const holder = await settle(store.join("one", "all"));
  const { claims } = await settle(store.claimDue(holder, [{ targetKey, limit: 3 }]));
  const runTimeOf = (claim: (typeof claims)[number]) => claim.options!.schedule!.runTime;
  const inOrder = claims.toSorted((one, other) => runTimeOf(one) - runTimeOf(other));
  const dead = { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" } as const;
  for (const end of ends) {
    const [place, how] = end.split(" ");
    const outcome = how === "dead" ? dead : ({ kind: "delivered" } as const);
    await settle(store.recordAttempts(holder, [resultOf(inOrder[Number(place)]!, outcome)]));
    await settle(store.renew(holder));
    await pass(5_000);
    await settle(store.judgeRuns(holder, 9));
  }
  return (await settle(store.getSchedule(ref)))!.pause !== null;
}

async function holds(trial: DefectName, defects: readonly DefectName[]): Promise<boolean> {
  // Some defects are found by the database's own check, before the trial can see them.
  const selfCheck = defects.length === 0;
  const simulated = simulatedDatabase({ defects: new Set(defects), selfCheck });
  const store = simulated.open("node");
  await simulated.settle(store.ensureAccount(account, "One"));
  const { targetKey } = await simulated.settle(makeTarget(store, "t"));
  return trials[trial]({ ...simulated, store, targetKey });
}

test.each(defectNames)("%s: is off by default, and breaks only its own rule", async (name) => {
  expect(await holds(name, [])).toBe(true);
  expect(await holds(name, [name])).toBe(false);
  expect(
    await holds(
      name,
      defectNames.filter((other) => other !== name),
    ),
  ).toBe(true);
});
