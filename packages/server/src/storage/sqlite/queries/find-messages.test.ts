import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { idTimesOf } from "../../../domain/message-search.ts";
import type { MessageSearch } from "../../../domain/message-search.ts";
import { systemRandom } from "../../../platform/random.ts";
import { systemTimers } from "../../../platform/timers.ts";
import { account, farFuture, newTarget, note } from "../../conformance/harness.ts";
import type { FindResult, ScheduleResult } from "../../store.ts";
import { openDatabase } from "../database/open-database.ts";
import { Executor } from "../thread/executor.ts";
import type { VerbName } from "../thread/verbs.ts";

/** A clock that the test sets. Each look at its monotonic time may take a while. */
const clock = {
  wall: 0,
  lookMs: 0,
  passed: 0,
  now: () => clock.wall,
  monotonic: () => (clock.passed += clock.lookMs),
};
let dataDir: string;
let executor: Executor;

function run(verb: VerbName, ...args: unknown[]): unknown {
  const [reply] = executor.execute([{ id: 1, verb, args }]);
  if (reply?.kind !== "done") throw new Error(JSON.stringify(reply));
  return reply.value;
}

function schedule(count: number): string[] {
  const options = { labels: { a: "1" } };
  const draft = { accountId: account, targetId: "t", deliveryTime: farFuture, payload: "" };
  const requests = Array.from({ length: count }, () => ({ ...draft, options, idempotency: null }));
  const results = run("scheduleMessages", requests) as ScheduleResult[];
  return results.map((result) => {
    if (result.kind !== "scheduled") throw new Error(result.kind);
    return result.message.messageId;
  });
}

function find(change: Partial<MessageSearch>, after: string | null = null): FindResult {
  const search: MessageSearch = {
    ...{ states: null, targetId: null, labels: [], minTime: null, maxTime: null, order: "newest" },
    ...change,
  };
  const idTimes = idTimesOf(search, clock.wall);
  const request = { ...search, accountId: account, idTimes, after, limit: 100 };
  return run("findMessages", request) as FindResult;
}

const found = (change: Partial<MessageSearch>): string[] =>
  find(change).messages.map(({ messageId }) => messageId);

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "postdate-find-"));
  Object.assign(clock, { wall: Date.UTC(2026, 10, 15, 12), lookMs: 0 });
  executor = new Executor({
    database: openDatabase(dataDir),
    clock,
    timers: systemTimers,
    random: systemRandom,
    retentionMs: 60_000,
    idempotencyRetentionMs: 60_000,
    replyLate: () => {},
  });
  run("ensureAccount", account, "One");
  run("createTarget", newTarget("t"), note());
});

afterEach(() => {
  executor.close();
  rmSync(dataDir, { recursive: true });
});

test.each([{ labels: [] }, { labels: ["a:1"] }])(
  "a search with %j gives way to others after a few milliseconds, and goes on in the next call",
  ({ labels }) => {
    schedule(1_000);
    clock.lookMs = 1;
    const search = { labels, states: ["CANCELLED"] as const };
    let calls = 0;
    for (let after: string | null = null; calls === 0 || after !== null; calls++) {
      const { messages, lookedUntil } = find(search, after);
      expect(messages).toEqual([]);
      after = lookedUntil;
    }
    expect(calls).toBe(2);
    clock.lookMs = 0;
    expect(find(search).lookedUntil).toBeNull();
  },
);

test("messages that were scheduled after the clock was set back are found by their time", () => {
  const hour = 3_600_000;
  const before = schedule(2);
  clock.wall -= hour;
  const minTime = clock.wall;
  // Their ids continue where the clock was before.
  const after = schedule(2);
  clock.wall += 1_000;
  const maxTime = clock.wall;
  expect(found({ minTime, maxTime, order: "oldest" })).toEqual(after);
  expect(found({ minTime, order: "oldest" })).toEqual([...before, ...after]);
  expect(found({ minTime: maxTime + 1 })).toEqual(before.toReversed());
});
