import { expect, test } from "vitest";
import { someJob } from "../../../../domain/testing/some-job.ts";
import type { LoggedEvent } from "../../../../domain/events/event.ts";
import { newEndpoint, newWebhook, typesAbout } from "../../../conformance/events/event-harness.ts";
import { parseMessageId } from "../../../../platform/message-ids.ts";
import {
  account,
  exhausted,
  farFuture,
  newTarget,
  note,
  past,
  resultOf,
} from "../../../conformance/harness.ts";
import { every, minute, noon, second } from "../../../conformance/schedules/schedule-harness.ts";
import { SetClock } from "../../testing/clocked-executor.ts";
import { killedLives, Life } from "../../testing/killed-lives.ts";

const lives = killedLives();
const targetRef = { accountId: account, targetId: "t" };
const jobRef = { accountId: account, jobId: "job_1" };
const scheduleRef = { accountId: account, scheduleId: "s" };
const failingAfter = { attempts: 2, ms: 0 };

class ToldLife extends Life {
  schedule(deliveryTime: number, count = 1): void {
    const request = { accountId: account, targetId: "t", deliveryTime, payload: "" };
    const requests = Array.from({ length: count }, () => ({
      ...{ ...request, options: null, idempotency: null },
    }));
    this.run("scheduleMessages", requests);
  }

  attempt(next: typeof exhausted | { readonly kind: "delivered" }): void {
    const { targetKey } = this.run("getTarget", targetRef)!;
    const { claims } = this.run("claimDue", this.holder, [{ targetKey, limit: 1 }]);
    this.run("recordAttempts", this.holder, [resultOf(claims[0]!, next)]);
  }

  log(): readonly LoggedEvent[] {
    return this.run("readEvents", account, { after: 0, limit: 10_000 })!.events;
  }

  /** Each change has its events, and each event its change. */
  expectAgreement(): void {
    const events = this.log();
    const span = this.run("logSpans", [account]).get(account)!;
    expect(span).toEqual({ removedUpTo: 0, last: events.length });
    expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1));
    this.#expectMessages(events);
    const runs = events.filter(({ type }) => type === "schedule.run_created");
    const made = "messages WHERE options ->> '$.schedule.scheduleId' = 's'";
    expect(runs).toHaveLength(this.count(made));
    const aboutSchedule = typesAbout(events, "s").filter((type) => !type.includes("run_"));
    const isThere = aboutSchedule.at(-1) === "schedule.created";
    expect(this.count("schedules")).toBe(Number(isThere));
    const job = this.run("getJob", jobRef);
    const ofJob = { RUNNING: ["job.started"], DONE: ["job.started", "job.ended"] };
    const expected = job === undefined ? [] : ofJob[job.state as keyof typeof ofJob];
    expect(typesAbout(events, jobRef.jobId)).toEqual(expected);
    const isFailing = this.count("target_health WHERE failing = 1") > 0;
    const health = typesAbout(events, "t").filter((type) => /failing|recovered/.test(type));
    expect(health.at(-1) === "target.failing").toBe(isFailing);
    const updates = typesAbout(events, "t").filter((type) => !health.includes(type));
    expect(updates).toHaveLength(this.run("getTarget", targetRef)!.revision - 1);
    const webhook = this.run("getEndpoint", { accountId: account, endpointId: "w" })!;
    const disabled = typesAbout(events, "w");
    expect(disabled).toEqual(webhook.disabledTime === null ? [] : ["endpoint.disabled"]);
  }

  #expectMessages(events: readonly LoggedEvent[]): void {
    const about = Map.groupBy(events, ({ data }) => data.message?.messageId);
    expect(this.count("messages")).toBe(about.size - Number(about.has(undefined)));
    for (const [messageId, some] of about) {
      if (messageId === undefined) continue;
      const last = some.at(-1)!.data.message!;
      expect(this.run("getMessage", { accountId: account, messageId })).toMatchObject(last);
      // Each change is a version. The last attempt and the dead letter are one.
      const changes = some.filter(({ type }) => type !== "message.dead_lettered").length;
      expect(changes).toBe(this.#versionOf(messageId));
    }
  }

  #versionOf(messageId: string): unknown {
    const { sequence } = parseMessageId(messageId)!;
    return this.values(`SELECT version FROM messages WHERE message_key = ${sequence}`)[0]![0];
  }
}

/** A bit of everything that is told. */
function liveThrough(life: ToldLife): void {
  const pass = (): number => (life.clock.wall += minute);
  for (let index = 0; index < 3; index++) {
    pass();
    life.schedule(past);
  }
  for (const next of [exhausted, exhausted, { kind: "delivered" }] as const) {
    pass();
    life.attempt(next);
  }
  pass();
  life.schedule(farFuture);
  const last = life.log().at(-1)!.data.message!;
  const ref = { accountId: account, messageId: last.messageId, waitMs: 0 };
  life.run("rescheduleMessage", { ...ref, deliveryTime: farFuture + 1 });
  life.run("cancelMessage", ref);
  life.run("rescheduleMessage", { ...ref, deliveryTime: farFuture + 2 });
  life.run("updateTarget", targetRef, { maxConcurrency: 9 }, null, note());
  const definition = every(5 * second, { targetId: "t" });
  life.run("createSchedule", { ...scheduleRef, definition }, note());
  pass();
  life.run("advanceSchedules", life.holder, 9);
  life.run("createJob", someJob(jobRef), null, note());
  life.run("takeJobs", life.holder, 9);
  for (;;) {
    pass();
    const [endEntryId, removalEntryId] = [note().entryId, note().entryId];
    const holder = life.holder;
    const step = life.run("advanceJob", { ...jobRef, holder, endEntryId, removalEntryId });
    if (step.kind !== "advanced" || step.idleMs === null) break;
  }
  life.run("removeSchedule", scheduleRef, note());
  life.run("updateTarget", targetRef, { paused: true }, null, note());
  life.run("takeWebhooks", life.holder, 9);
  const gone = { kind: "gone", batchEnd: 3, statusCode: 410 } as const;
  life.run("recordBatch", life.holder, { accountId: account, endpointId: "w" }, 1, gone);
}

test("a process is killed before or after any commit, and each change is there with its events", () => {
  let kills;
  {
    using life = new ToldLife(lives.first, new SetClock(noon));
    life.run("ensureAccount", account, "One");
    life.run("createTarget", newTarget("t", { failingAfter }), note());
    life.run("createEndpoint", newEndpoint("all"), note());
    life.run("createEndpoint", newWebhook("w"), note());
    kills = lives.killAtCommits(life);
    liveThrough(life);
    life.expectAgreement();
    expect(new Set(life.log().map(({ type }) => type)).size).toBeGreaterThan(14);
  }
  expect(kills.length).toBeGreaterThan(30);
  const lengths = new Set<number>();
  for (const { dataDir, wall } of kills) {
    using life = new ToldLife(dataDir, new SetClock(wall + minute));
    life.expectAgreement();
    const { length } = life.log();
    lengths.add(length);
    life.schedule(farFuture);
    expect(life.log().at(-1)).toMatchObject({ type: "message.scheduled", position: length + 1 });
    life.expectAgreement();
  }
  expect(lengths.size).toBeGreaterThan(15);
});
