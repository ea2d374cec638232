import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { systemRandom } from "../../../platform/random.ts";
import { systemTimers } from "../../../platform/timers.ts";
import { account, farFuture, newTarget, note, past, resultOf } from "../../conformance/harness.ts";
import type { ClaimResult, Holder, ScheduleResult } from "../../store.ts";
import { Executor } from "./executor.ts";
import type { Call, Reply } from "./executor.ts";
import { openDatabase } from "../database/open-database.ts";
import type { OpenDatabase } from "../database/open-database.ts";
import type { VerbName } from "./verbs.ts";

let dataDir: string;
let database: OpenDatabase;
let executor: Executor;
let late: Reply[];
let nextId: number;

const call = (verb: VerbName, ...args: unknown[]): Call => ({ id: nextId++, verb, args });
const schedule = (deliveryTime: number, payload = "x"): Call =>
  call("scheduleMessages", [
    { accountId: account, targetId: "t", deliveryTime, payload, options: null, idempotency: null },
  ]);
const cancel = (messageId: string): Call =>
  call("cancelMessage", { accountId: account, messageId, waitMs: 60_000 });

/** Runs calls in one batch. Answers with their values, or "failed" / "unavailable". */
function run(...calls: Call[]): unknown[] {
  const replies = new Map(executor.execute(calls).map((reply) => [reply.id, reply]));
  return calls.map(({ id }) => {
    const reply = replies.get(id);
    if (reply === undefined) return "waiting";
    if (reply.kind === "done") return reply.value;
    return reply.unavailable ? "unavailable" : "failed";
  });
}

const pending = (): unknown => (run(call("counts"))[0] as { pending: number }).pending;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "postdate-executor-"));
  database = openDatabase(dataDir);
  late = [];
  nextId = 1;
  executor = new Executor({
    database,
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    retentionMs: 60_000,
    idempotencyRetentionMs: 60_000,
    replyLate: (reply) => late.push(reply),
  });
  run(call("ensureAccount", account, "One"));
  run(call("createTarget", newTarget("t"), note()));
});

afterEach(() => {
  executor.close();
  rmSync(dataDir, { recursive: true });
});

const key = { accountId: account, keyId: "k", name: "n", scopes: [], hash: "h" };

describe("one call that fails", () => {
  test("fails alone; the others of its batch happen, once", () => {
    run(call("createKey", key, note()));
    const [before, bad, after] = run(
      schedule(farFuture),
      call("createKey", { ...key, keyId: "other" }, note()),
      schedule(farFuture),
    );
    expect((before as ScheduleResult[])[0]?.kind).toBe("scheduled");
    expect(bad).toBe("failed");
    expect((after as ScheduleResult[])[0]?.kind).toBe("scheduled");
    expect(pending()).toBe(2);
  });

  test("voids no claim: a message claimed in the batch is claimed once and reported", () => {
    const [holder] = run(call("join", "node", "all")) as [Holder];
    run(schedule(past), call("createKey", key, note()));
    const [bad, claimed] = run(
      call("createKey", { ...key, keyId: "other" }, note()),
      call("claimDue", holder, [{ targetKey: 1, limit: 5 }]),
    );
    expect(bad).toBe("failed");
    expect((claimed as ClaimResult).claims).toHaveLength(1);
  });

  test("leaves a waiting cancel waiting, once, and the cancel still takes effect", () => {
    const [holder] = run(call("join", "node", "all")) as [Holder];
    run(schedule(past), call("createKey", key, note()));
    const [claimed] = run(call("claimDue", holder, [{ targetKey: 1, limit: 5 }])) as [ClaimResult];
    const claim = claimed.claims[0]!;
    const waiting = cancel(claim.messageId);
    const [, answer] = run(call("createKey", { ...key, keyId: "other" }, note()), waiting);
    expect(answer).toBe("waiting");
    run(
      call("recordAttempts", holder, [
        resultOf(claim, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" }),
      ]),
    );
    expect(late).toMatchObject([{ id: waiting.id, kind: "done", value: { kind: "changed" } }]);
    expect(pending()).toBe(0);
  });
});

describe("what an account has used", () => {
  const usage = () => call("getUsage", account);
  const bad = () => call("createKey", { ...key, keyId: "other" }, note());

  test("is counted once for calls that are tried again without the failed one", () => {
    run(call("createKey", key, note()));
    const [, first, , second, failed, last] = run(
      schedule(farFuture),
      usage(),
      schedule(farFuture),
      usage(),
      bad(),
      usage(),
    );
    expect(failed).toBe("failed");
    expect([first, second, last]).toMatchObject([{ used: 1 }, { used: 2 }, { used: 2 }]);
    expect(run(usage())).toMatchObject([{ used: 2 }]);
  });

  test("uses the limit that another call of the same commit has set", () => {
    const limit = (to: number | null) =>
      call("updateAccount", account, { monthlyMessageLimit: to }, note());
    const results = run(
      schedule(farFuture),
      limit(1),
      schedule(farFuture),
      limit(2),
      schedule(farFuture),
      schedule(farFuture),
      usage(),
    );
    expect(results).toMatchObject([
      [{ kind: "scheduled" }],
      { monthlyMessageLimit: 1 },
      [{ kind: "over-quota" }],
      { monthlyMessageLimit: 2 },
      [{ kind: "scheduled" }],
      [{ kind: "over-quota" }],
      { used: 2, limit: 2 },
    ]);
    expect(run(usage())).toMatchObject([{ used: 2, limit: 2 }]);
  });

  test("is what was stored, when a commit fails", () => {
    run(schedule(farFuture));
    database.db.exec(
      "BEGIN; CREATE TEMP TRIGGER t BEFORE INSERT ON messages WHEN NEW.payload = 'no' BEGIN SELECT RAISE(ABORT, 'no'); END; COMMIT",
    );
    const results = run(schedule(farFuture), schedule(farFuture, "no"), schedule(farFuture));
    expect(results).toMatchObject([[{ kind: "scheduled" }], "failed", [{ kind: "scheduled" }]]);
    expect(run(usage())).toMatchObject([{ used: 3 }]);
  });
});

describe("what memory holds about accounts", () => {
  const bad = () => call("createKey", { ...key, keyId: "other" }, note());
  const limit = { max: 3, intervalMs: 3_600_000 };
  const take = () => call("takeRequests", [{ accountId: account, limit }]);

  test("counts a request once, even if its batch is tried again", () => {
    run(call("createKey", key, note()));
    const [first, failed, second] = run(take(), bad(), take());
    expect(failed).toBe("failed");
    expect([first, second]).toMatchObject([[{ remaining: 2 }], [{ remaining: 1 }]]);
    expect(run(take(), take())).toMatchObject([[{ allowed: true }], [{ allowed: false }]]);
  });

  test("includes an account whose removal failed, and no removed account", () => {
    run(call("createKey", key, note()));
    const suspended = call("updateAccount", account, { state: "SUSPENDED" }, note());
    run(suspended);
    const twice = note();
    run(call("createTarget", newTarget("other"), twice));
    const remove = (entry = note()) => call("removeAccount", account, entry);
    expect(run(remove(twice))).toEqual(["failed"]);
    expect(run(schedule(farFuture))).toMatchObject([[{ kind: "scheduled" }]]);
    const [, refused] = run(remove(), schedule(farFuture));
    expect(refused).toMatchObject([{ kind: "no-target" }]);
    expect(run(call("createTarget", newTarget("new"), note()))).toEqual(["no-account"]);
  });
});

describe("a full disk", () => {
  function fillUp(): void {
    const { page_count: pages } = database.db.prepare("PRAGMA page_count").get() as {
      page_count: number;
    };
    database.db.exec(`PRAGMA max_page_count = ${pages}`);
  }

  test("fails every call of the batch as unavailable, keeps nothing of it, and recovers", () => {
    run(schedule(farFuture));
    fillUp();
    const big = "x".repeat(50_000);
    expect(run(schedule(farFuture), schedule(farFuture, big), schedule(farFuture))).toEqual([
      "unavailable",
      "unavailable",
      "unavailable",
    ]);
    expect(pending()).toBe(1);
    expect(run(call("getUsage", account))).toMatchObject([{ used: 1 }]);
    database.db.exec("PRAGMA max_page_count = 1000000");
    expect(run(schedule(farFuture, big))).toMatchObject([[{ kind: "scheduled" }]]);
    expect(pending()).toBe(2);
  });

  test("keeps a claim whose outcome could not be written, until it can", () => {
    const [holder] = run(call("join", "node", "all")) as [Holder];
    run(schedule(past));
    const claim = (run(call("claimDue", holder, [{ targetKey: 1, limit: 5 }])) as [ClaimResult])[0]
      .claims[0]!;
    const waiting = cancel(claim.messageId);
    expect(run(waiting)).toEqual(["waiting"]);
    fillUp();
    const failed = resultOf(claim, { kind: "retry", delayMs: 0 });
    const record = call("recordAttempts", holder, [
      { ...failed, attempt: { ...failed.attempt, response: "x".repeat(100_000) } },
    ]);
    expect(run(record)).toEqual(["unavailable"]);
    expect(late).toEqual([]);
    expect(run(call("claimDue", holder, [{ targetKey: 1, limit: 5 }]))).toMatchObject([
      { claims: [] },
    ]);
    database.db.exec("PRAGMA max_page_count = 1000000");
    expect(run(record)).toMatchObject([[{ kind: "recorded", message: { state: "CANCELLED" } }]]);
    expect(late).toMatchObject([{ id: waiting.id, value: { kind: "changed" } }]);
  });
});
