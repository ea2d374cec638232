import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { systemRandom } from "../../../platform/random.ts";
import { systemTimers } from "../../../platform/timers.ts";
import { endpointRef, newEndpoint } from "../../conformance/events/event-harness.ts";
import {
  account,
  exhausted,
  farFuture,
  newTarget,
  note,
  past,
  resultOf,
} from "../../conformance/harness.ts";
import type { ClaimResult, EventPage, Holder } from "../../store.ts";
import { openDatabase } from "../database/open-database.ts";
import type { OpenDatabase } from "../database/open-database.ts";
import { Executor } from "./executor.ts";
import type { Call } from "./executor.ts";
import type { VerbName } from "./verbs.ts";

/** What memory knows of events must be as the database has it, also when a commit fails. */

let dataDir: string;
let database: OpenDatabase;
let executor: Executor;
let nextId: number;

const call = (verb: VerbName, ...args: unknown[]): Call => ({ id: nextId++, verb, args });
const schedule = (targetId = "t", deliveryTime = farFuture, payload = "x"): Call =>
  call("scheduleMessages", [
    { accountId: account, targetId, deliveryTime, payload, options: null, idempotency: null },
  ]);

/** Runs calls in one batch. */
function run(...calls: Call[]): unknown[] {
  const replies = executor.execute(calls);
  return calls.map(({ id }) => {
    const reply = replies.find((each) => each.id === id)!;
    return reply.kind === "done" ? reply.value : reply.unavailable ? "unavailable" : "failed";
  });
}

function told(): string[] {
  const [page] = run(call("readEvents", account, { after: 0, limit: 100 })) as [EventPage];
  expect(page.events.map(({ position }) => position)).toEqual(page.events.map((_, at) => at + 1));
  expect(page.last).toBe(page.events.length);
  return page.events.map(({ type }) => type);
}

const toldOfTargets = (): string[] => told().filter((type) => type.startsWith("target."));

/** Its audit entry is there already. */
const usedNote = note();
const bad = () => call("createTarget", newTarget("never"), usedNote);

function withFullDisk(work: () => void): void {
  const { page_count: pages } = database.db.prepare("PRAGMA page_count").get() as {
    page_count: number;
  };
  database.db.exec(`PRAGMA max_page_count = ${pages}`);
  work();
  database.db.exec("PRAGMA max_page_count = 1000000");
}

const big = "x".repeat(100_000);

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "postdate-undone-"));
  database = openDatabase(dataDir);
  nextId = 1;
  executor = new Executor({
    ...{ database, clock: systemClock, timers: systemTimers, random: systemRandom },
    ...{ retentionMs: 60_000, idempotencyRetentionMs: 60_000, replyLate: () => {} },
  });
  run(call("ensureAccount", account, "One"));
  run(call("createTarget", newTarget("t", { failingAfter: { attempts: 2, ms: 0 } }), usedNote));
});

afterEach(() => {
  executor.close();
  rmSync(dataDir, { recursive: true });
});

test("an endpoint whose creation failed is not told, one whose removal failed still is", () => {
  expect(run(call("createEndpoint", newEndpoint("e"), usedNote))).toEqual(["failed"]);
  run(schedule());
  expect(told()).toEqual([]);
  run(call("createEndpoint", newEndpoint("e"), note()));
  expect(run(call("removeEndpoint", endpointRef("e"), usedNote))).toEqual(["failed"]);
  run(schedule());
  expect(told()).toEqual(["message.scheduled"]);
  const filter = { types: [], targetIds: null, labels: null };
  const change = call("updateEndpoint", endpointRef("e"), { filter }, null, usedNote);
  expect(run(change)).toEqual(["failed"]);
  run(schedule());
  expect(told()).toHaveLength(2);
});

test("calls that are tried again without a failed one are told once", () => {
  run(call("createEndpoint", newEndpoint("e"), note()));
  const [, failed] = run(schedule(), bad(), schedule());
  expect(failed).toBe("failed");
  expect(told()).toEqual(["message.scheduled", "message.scheduled"]);
});

test("an endpoint that shares its commit is told what comes after it", () => {
  const { length } = run(
    schedule(),
    call("createEndpoint", newEndpoint("one", { filter: { types: ["message.*"] } }), note()),
    schedule(),
    call("createEndpoint", newEndpoint("two"), note()),
    call("removeEndpoint", endpointRef("one"), note()),
  );
  expect(length).toBe(5);
  expect(told()).toEqual(["message.scheduled"]);
  const [two] = run(call("getEndpoint", endpointRef("two")));
  expect(two).toMatchObject({ startPosition: 1 });
});

test("a target that gets the key of one that was undone is told about by its own name", () => {
  run(call("createEndpoint", newEndpoint("e", { filter: { targetIds: ["y"] } }), note()));
  withFullDisk(() => {
    const make = call("createTarget", newTarget("x"), note());
    const results = run(make, schedule("x"), schedule("x", farFuture, big));
    expect(new Set(results)).toEqual(new Set(["unavailable"]));
  });
  run(call("createTarget", newTarget("y"), note()));
  run(schedule("y"));
  expect(told()).toEqual(["target.created", "message.scheduled"]);
});

test("health that an undone change of filters forgot goes on, and is forgotten by the next change", () => {
  const told = (types: readonly string[]) => ({ filter: { types, targetIds: null, labels: null } });
  const change = (types: readonly string[], itsNote = note()) =>
    call("updateEndpoint", endpointRef("e"), told(types), null, itsNote);
  const [holder] = run(call("join", "node", "all")) as [Holder];
  const fail = (): void => {
    run(schedule("t", past));
    const claim = call("claimDue", holder, [{ targetKey: 1, limit: 1 }]);
    const [{ claims }] = run(claim) as [ClaimResult];
    run(call("recordAttempts", holder, [resultOf(claims[0]!, exhausted)]));
  };
  const countRows = (): unknown =>
    database.db.prepare("SELECT count(*) AS count FROM target_health").get()!["count"];
  run(call("createEndpoint", newEndpoint("e", told(["target.*"])), note()));
  fail();
  expect(run(change([], usedNote))).toEqual(["failed"]);
  expect(countRows()).toBe(1);
  run(change([]), change(["target.*"]));
  expect(countRows()).toBe(0);
  fail();
  expect(run(change([], usedNote))).toEqual(["failed"]);
  fail();
  expect(toldOfTargets()).toEqual(["target.failing"]);
});

test("an attempt whose record failed counts neither for the log nor for its target's health", () => {
  run(call("createEndpoint", newEndpoint("e"), note()));
  const [holder] = run(call("join", "node", "all")) as [Holder];
  run(schedule("t", past));
  const claim = call("claimDue", holder, [{ targetKey: 1, limit: 1 }]);
  const [{ claims }] = run(claim) as [ClaimResult];
  const result = resultOf(claims[0]!, exhausted);
  withFullDisk(() => {
    const record = call("recordAttempts", holder, [result]);
    const results = run(record, schedule("t", farFuture, big));
    expect(results).toEqual(["unavailable", "unavailable"]);
    expect(told()).toEqual(["message.scheduled"]);
  });
  run(call("recordAttempts", holder, [result]));
  expect(told()).toEqual(["message.scheduled", "message.attempt_failed", "message.dead_lettered"]);
});
