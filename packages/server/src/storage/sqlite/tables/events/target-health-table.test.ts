import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endpointRef, newEndpoint } from "../../../conformance/events/event-harness.ts";
import { account, farFuture, newTarget, note, otherAccount } from "../../../conformance/harness.ts";
import { noon } from "../../../conformance/schedules/schedule-harness.ts";
import { ClockedExecutor, SetClock } from "../../testing/clocked-executor.ts";
import { statementsDuring } from "../../testing/statements-during.ts";

/** What a change of filters costs may not grow with the targets of the account, nor with those of others. */

const failing = 1_200;
let dataDir: string;
let store: ClockedExecutor;

function open(): void {
  store = new ClockedExecutor(dataDir, new SetClock(noon));
}

/** Many targets of the account have failed once. */
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "postdate-health-"));
  open();
  for (const accountId of [account, otherAccount]) {
    store.run("ensureAccount", accountId, accountId);
    store.run("createEndpoint", newEndpoint("one", { accountId, filter: told() }), note());
    store.run("createTarget", newTarget("theirs", { accountId }), note());
  }
  const { db } = store.database;
  const others =
    "kind, sealed_settings, sealed_secrets, retry_policy, max_concurrency, paused, revision";
  db.exec(`
    WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${failing})
    INSERT INTO targets (account_key, target_id, creation_time, update_time, ${others})
    SELECT account_key, 't' || n, creation_time, update_time, ${others}
    FROM numbers, targets
    WHERE account_key = (SELECT account_key FROM accounts WHERE account_id = '${account}');
    INSERT INTO target_health SELECT target_key, 1, ${noon}, 0 FROM targets WHERE target_id <> 'theirs'`);
  store.close();
  open();
});

afterEach(() => {
  store.close();
  rmSync(dataDir, { recursive: true });
});

const told = (types = ["target.*"], targetIds: string[] | null = null) => ({
  ...{ types, targetIds, labels: null },
});

/** The statements about targets that a change of the filter runs. */
function lookedUpBy(filter: ReturnType<typeof told>, endpointId = "one", accountId = account) {
  return statementsDuring(() => {
    const ref = endpointRef(endpointId, accountId);
    store.run("updateEndpoint", ref, { filter }, null, note());
  }).filter((sql) => /\btarget(?:s|_health)\b/.test(sql));
}

const kept = (): number => store.count("target_health");

test("a change that leaves all targets told about looks at none", () => {
  expect(lookedUpBy(told(["target.failing"]))).toEqual([]);
  store.run("createEndpoint", newEndpoint("two", { filter: told() }), note());
  expect(lookedUpBy(told([]))).toEqual([]);
  const again = statementsDuring(() =>
    store.run("createEndpoint", newEndpoint("three", { filter: told([]) }), note()),
  );
  expect(again.filter((sql) => sql.includes("target"))).toEqual([]);
  expect(kept()).toBe(failing);
});

test("what nobody is told about any more goes with one statement, once", () => {
  expect(lookedUpBy(told(["target.*"], ["t7", "theirs", "nothing"]))).toHaveLength(2);
  expect(kept()).toBe(1);
  for (let count = 0; count < 3; count++) {
    expect(lookedUpBy(told())).toEqual([]);
    expect(lookedUpBy(told(["target.*"], ["t7"]))).toHaveLength(1);
  }
  expect(kept()).toBe(1);
  expect(lookedUpBy(told(["target.*"], ["t8"]))).toHaveLength(2);
  expect(lookedUpBy(told([]))).toEqual([]);
  expect(kept()).toBe(0);
});

test("an account without failing targets looks at no targets of others", () => {
  expect(lookedUpBy(told([]), "one", otherAccount)).toEqual([]);
  expect(lookedUpBy(told(), "one", otherAccount)).toEqual([]);
  expect(kept()).toBe(failing);
});

test("what is told about the targets of others stays known", () => {
  const schedule = () =>
    store.run("scheduleMessages", [
      {
        ...{ accountId: otherAccount, targetId: "theirs", deliveryTime: farFuture, payload: "" },
        ...{ options: null, idempotency: null },
      },
    ]);
  schedule();
  const known = statementsDuring(schedule);
  lookedUpBy(told([]));
  expect(statementsDuring(schedule)).toEqual(known);
});

test("a removed account's targets take what is known of them along, in pieces", () => {
  store.run("updateAccount", account, { state: "SUSPENDED" }, note());
  const ran = statementsDuring(() => store.run("removeAccount", account, note()));
  expect(ran.filter((sql) => /\btarget(?:s|_health)\b/.test(sql))).toEqual([]);
  const left = [kept()];
  while (left.at(-1)! > 0 && left.length < 9) {
    store.run("removeExpired", 10);
    left.push(kept());
  }
  expect(left).toEqual([1_200, 700, 200, 0]);
});
