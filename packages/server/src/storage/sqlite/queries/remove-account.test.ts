import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { systemRandom } from "../../../platform/random.ts";
import { systemTimers } from "../../../platform/timers.ts";
import { account, farFuture, newTarget, note } from "../../conformance/harness.ts";
import { openDatabase } from "../database/open-database.ts";
import type { OpenDatabase } from "../database/open-database.ts";
import { Executor } from "../thread/executor.ts";
import type { Call } from "../thread/executor.ts";
import type { VerbName } from "../thread/verbs.ts";

let dataDir: string;
let database: OpenDatabase;
let executor: Executor;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "postdate-removal-"));
  database = openDatabase(dataDir);
  executor = new Executor({
    database,
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    retentionMs: 60_000,
    idempotencyRetentionMs: 60_000,
    auditRetentionMs: 60_000,
    replyLate: () => {},
  });
});
afterEach(() => {
  executor.close();
  rmSync(dataDir, { recursive: true });
});

function call(verb: VerbName, ...args: unknown[]): unknown {
  const [reply] = executor.execute([{ id: 1, verb, args }]);
  if (reply?.kind !== "done") throw new Error(`${verb} failed`);
  return reply.value;
}

/** How many targets still have their sealed settings. */
function readable(): number {
  const count = "SELECT count(*) AS count FROM targets WHERE sealed_settings <> ''";
  return (database.db.prepare(count).get() as { count: number }).count;
}

test("an account with many targets is removed at once, and their content in pieces", () => {
  call("ensureAccount", account, "One");
  const targets = Array.from({ length: 1_200 }, (_, index) => ({
    ...newTarget(`t${index}`),
    sealedSettings: "sealed",
  }));
  const create = targets.map((each, id) => ({ id, verb: "createTarget", args: [each, note()] }));
  executor.execute(create as Call[]);
  const message = { accountId: account, targetId: "t1199", deliveryTime: farFuture, payload: "x" };
  call("scheduleMessages", [{ ...message, options: null, idempotency: null }]);
  const target = call("getTarget", { accountId: account, targetId: "t0" }) as { targetKey: number };
  call("updateAccount", account, { state: "SUSPENDED" }, note());
  call("removeAccount", account, note());

  expect(readable()).toBe(1_200);
  expect(call("getTarget", { accountId: account, targetId: "t0" })).toBeUndefined();
  expect(call("getTargetByKey", target.targetKey)).toBeUndefined();
  expect(call("listTargets", account, { after: null, limit: 9 })).toEqual([]);
  const holder = call("join", "node", "all");
  expect(call("claimDue", holder, [{ targetKey: target.targetKey, limit: 1 }])).toMatchObject({
    claims: [],
    targets: [],
  });

  const left: number[] = [];
  while ((call("removeExpired", 10) as { nextExpiry: number | null }).nextExpiry !== null) {
    left.push(readable());
  }
  expect(left).toEqual([700, 200, 0]);
  expect(readable()).toBe(0);
  expect(call("counts")).toEqual({ pending: 0 });
});
