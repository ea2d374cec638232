import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isLive } from "../../../../domain/job.ts";
import { someJob } from "../../../../domain/testing/some-job.ts";
import type { AskedJob } from "../../../../domain/testing/some-job.ts";
import { systemRandom } from "../../../../platform/random.ts";
import { systemTimers } from "../../../../platform/timers.ts";
import { account, farFuture, hour, newTarget, note, past } from "../../../conformance/harness.ts";
import type { ClaimResult, Holder, JobStep } from "../../../store.ts";
import { openDatabase } from "../../database/open-database.ts";
import type { OpenDatabase } from "../../database/open-database.ts";
import { Executor } from "../../thread/executor.ts";
import type { VerbName } from "../../thread/verbs.ts";

const count = 450;
/** The walk comes there once more. */
const ahead = farFuture + 2 * count;
const ref = { accountId: account, jobId: "job_1" };
let folder: string;
let wall: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postdate-killed-"));
  wall = Date.UTC(2026, 10, 15, 12);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A store whose calls are one commit each. */
class Life implements Disposable {
  readonly #executor: Executor;
  readonly database: OpenDatabase;
  readonly holder: Holder;

  constructor(dataDir: string) {
    mkdirSync(dataDir, { recursive: true });
    this.database = openDatabase(dataDir);
    this.#executor = new Executor({
      database: this.database,
      clock: { now: () => wall, monotonic: () => wall },
      timers: systemTimers,
      random: systemRandom,
      retentionMs: hour,
      idempotencyRetentionMs: hour,
      replyLate: () => {},
    });
    this.holder = this.run("join", "node", "all") as Holder;
  }

  run(verb: VerbName, ...args: unknown[]): unknown {
    const [reply] = this.#executor.execute([{ id: 1, verb, args }]);
    if (reply?.kind !== "done") throw new Error(JSON.stringify(reply));
    return reply.value;
  }

  step(): JobStep {
    wall += 300;
    const [endEntryId, removalEntryId] = [note().entryId, note().entryId];
    const request = { ...ref, holder: this.holder, endEntryId, removalEntryId };
    return this.run("advanceJob", request) as JobStep;
  }

  count(from: string): number {
    const row = this.database.db.prepare(`SELECT count(*) AS count FROM ${from}`).get();
    return row!["count"] as number;
  }

  [Symbol.dispose](): void {
    this.#executor.close();
  }
}

/** A store with messages, the first of them in flight, and a job that is to change them all. */
function begin(asked: AskedJob, size = count): Life {
  const life = new Life(join(folder, "first"));
  life.run("ensureAccount", account, "One");
  const { targetKey } = life.run("createTarget", newTarget("t"), note()) as { targetKey: number };
  const draft = { accountId: account, targetId: "t", payload: "", options: null };
  const requests = Array.from({ length: size }, (_, index) => ({
    ...{ ...draft, idempotency: null },
    deliveryTime: index === 0 ? past : farFuture + index,
  }));
  life.run("scheduleMessages", requests);
  const request = [{ targetKey, limit: 1 }];
  const { claims } = life.run("claimDue", life.holder, request) as ClaimResult;
  expect(claims).toHaveLength(1);
  life.run("createJob", someJob({ ...ref, ...asked }), null, note());
  life.run("takeJobs", life.holder, 1);
  return life;
}

function runToEnd(life: Life): JobStep {
  for (;;) {
    const step = life.step();
    if (step.kind !== "advanced" || !isLive(step.job.state)) return step;
  }
}

const changes: [string, AskedJob, changed: string][] = [
  ["shift forward", { action: "shift", byMs: hour }, `next_delivery_time - original = ${hour}`],
  ["shift backward", { action: "shift", byMs: -hour }, `next_delivery_time - original = ${-hour}`],
  ["reschedule", { action: "reschedule", deliveryTime: ahead }, `next_delivery_time = ${ahead}`],
  ["cancel", {}, "state = 3 AND version = 2"],
];

describe.each(changes)("a process that works on a job is killed: %s", (_name, asked, changed) => {
  const isChanged = changed.replace("original", "original_delivery_time");

  test("before or after any commit, and each message is changed once", () => {
    const kills: string[] = [];
    const doneAt: number[] = [];
    {
      using life = begin(asked);
      const { db } = life.database;
      const commit = db.exec.bind(db);
      // What is in the files is what the next process finds.
      const kill = (): void => {
        const copy = join(folder, `kill-${kills.length}`);
        for (const file of ["postdate.db", "postdate.db-wal"]) {
          cpSync(join(folder, "first", file), join(copy, file));
        }
        kills.push(copy);
      };
      db.exec = (sql) => {
        if (sql !== "COMMIT") return commit(sql);
        kill();
        commit(sql);
        kill();
      };
      for (let isWalking = true; isWalking;) {
        const step = life.step();
        if (step.kind !== "advanced") throw new Error(step.kind);
        doneAt.push(step.job.done);
        isWalking = step.job.progress.walkEndTime === null;
        expect(step.job.matched).toBeLessThanOrEqual(count);
      }
    }
    // The message in flight is still to come.
    expect(doneAt.at(-1)).toBe(count - 1);
    expect(new Set(doneAt).size).toBeGreaterThan(2);

    for (const dataDir of kills) {
      using life = new Life(dataDir);
      expect(life.run("takeJobs", life.holder, 9)).toEqual([ref]);
      expect(runToEnd(life)).toMatchObject({ job: { state: "DONE", matched: count, done: count } });
      expect(life.count(`messages WHERE ${isChanged}`)).toBe(count);
      expect(life.count("messages WHERE version = 2")).toBe(count);
      expect(life.count("audit_entries WHERE action = 'job.ended'")).toBe(1);
      const left = life.count("messages WHERE next_delivery_time IS NOT NULL");
      expect(life.run("counts")).toEqual({ pending: left });
    }
  });
});

test("what a large job has noted about its messages goes in pieces, and then the job", () => {
  using life = begin({}, 700);
  runToEnd(life);
  expect(life.count("job_messages")).toBe(200);
  const removed = (): number => (life.run("removeExpired", 150) as { removed: number }).removed;
  expect([removed(), removed(), removed()]).toEqual([150, 50, 0]);
  expect(life.count("job_messages")).toBe(0);
  expect(life.count("jobs WHERE emptied = 1")).toBe(1);
  wall += 2 * hour;
  while (removed() > 0);
  expect(life.count("jobs")).toBe(0);
});
