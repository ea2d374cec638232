import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newEndpoint } from "../../../conformance/events/event-harness.ts";
import { account, farFuture, newTarget, note } from "../../../conformance/harness.ts";
import { minute, noon } from "../../../conformance/schedules/schedule-harness.ts";
import { ClockedExecutor, SetClock } from "../../testing/clocked-executor.ts";
import { statementsDuring } from "../../testing/statements-during.ts";

const bundles = 50;

function openLog(): { readonly store: ClockedExecutor; readonly clock: SetClock } {
  const dataDir = mkdtempSync(join(tmpdir(), "postdate-positions-"));
  const clock = new SetClock(noon);
  const store = new ClockedExecutor(dataDir, clock);
  onTestFinished(() => {
    store.close();
    rmSync(dataDir, { recursive: true });
  });
  store.run("ensureAccount", account, "One");
  store.run("createTarget", newTarget("t"), note());
  store.run("createEndpoint", newEndpoint("e"), note());
  return { store, clock };
}

function schedule(store: ClockedExecutor, count: number, headerName = "x"): void {
  const message = { accountId: account, targetId: "t", deliveryTime: farFuture, payload: "" };
  const options = { headers: { names: [headerName], sealed: "" } };
  const request = { ...message, options, idempotency: null };
  store.run(
    "scheduleMessages",
    Array.from({ length: count }, () => request),
  );
}

test("a place in the log is found with the text of one bundle", () => {
  const { store, clock } = openLog();
  for (let index = 0; index < bundles; index++) {
    schedule(store, 2);
    clock.wall += minute;
  }
  for (const index of [0, 1, 17, 36, bundles]) {
    let position: number | undefined;
    const ran = statementsDuring(() => {
      position = store.run("findPosition", account, noon + index * minute);
    });
    expect(position).toBe(2 * index);
    expect(ran.filter((sql) => /\bevents\b/.test(sql)).length).toBeLessThan(2);
  }
});

test("a log with long events has no long rows, and is read as any other", () => {
  const { store } = openLog();
  schedule(store, 100, "x".repeat(5_000));
  const longest = store.database.db
    .prepare("SELECT max(length(events)) AS longest FROM event_bundles")
    .get();
  expect(longest!["longest"]).toBeLessThan(40_000);
  const { events } = store.run("readEvents", account, { after: 3, limit: 50 })!;
  expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 4));
  expect(events).toHaveLength(50);
});
