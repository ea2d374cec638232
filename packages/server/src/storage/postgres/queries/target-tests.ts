import type { Instant } from "../../../domain/message.ts";
import { rateAllowance, rateOpensAt, spendRate } from "../../../domain/rate-limit.ts";
import type { Target } from "../../../domain/target.ts";
import { monthOf } from "../../../domain/usage.ts";
import { StoreUnavailable } from "../../store.ts";
import type { BeginTestResult, Holder, TargetRef, TargetTest } from "../../store.ts";
import type { Run } from "../connections/connections.ts";
import type { Context } from "./context.ts";
import { uuidOf } from "../rows/message-rows.ts";
import { moveClaimFences } from "../claims/claim-fence.ts";
import { readTarget, targetColumns } from "./targets.ts";
import { admitMessages } from "./usage.ts";

/** Undoes the transaction, so that a refused test costs nothing. */
class Refused extends Error {
  readonly refusal: BeginTestResult;

  constructor(refusal: BeginTestResult) {
    super(refusal.kind);
    this.refusal = refusal;
  }
}

class MembershipIsOver extends Error {}

/**
 * One transaction: it locks the target against removal, counts one more against the account's
 * allowance, and moves the target's claim fence, as a claim does. It takes locks in the same order
 * as all other calls: the target, the account, its shares, the fence. The first look refuses before
 * any wait for a lock. The second look, after the fence has moved, decides.
 */
export function beginTest(context: Context) {
  const { connections, ids, tests, held } = context;

  return async (ref: TargetRef): Promise<BeginTestResult> => {
    const { membership } = tests;
    if (membership === undefined) throw new StoreUnavailable("this node has not joined yet");
    const testKey = uuidOf(ids.next().bytes);
    tests.add(testKey);
    try {
      return await connections.transaction(
        (run) => begin(run, ref, membership, testKey),
        ref.accountId,
      );
    } catch (error) {
      // Even if a row was made: from now on it counts as lost.
      tests.drop(testKey);
      if (error instanceof Refused) return error.refusal;
      if (error instanceof MembershipIsOver)
        throw new StoreUnavailable("this node's lease has run out");
      throw error;
    }
  };

  async function begin(
    run: Run,
    ref: TargetRef,
    membership: Holder,
    testKey: string,
  ): Promise<BeginTestResult> {
    const seen = await look(run, ref);
    const { targetKey } = seen.target;
    const asked = { accountId: ref.accountId, month: monthOf(seen.now), count: 1 };
    const admitted = await admitMessages(run, asked);
    if (admitted === "no-account") throw new Refused({ kind: "no-target" });
    if (admitted === 0) throw new Refused({ kind: "over-quota" });
    await moveClaimFences(run, [targetKey]);
    const { target, fullAt, now } = await look(run, ref);
    if (target.rateLimit !== null) {
      await run({
        name: "spend-rate-on-test",
        text: "UPDATE target_turns SET full_at = $2 WHERE target_key = $1",
        values: [targetKey, spendRate(target.rateLimit, fullAt, now, 1)],
      });
    }
    const made = await run({
      name: "begin-test",
      text: `INSERT INTO claims (target_key, message_id, epoch, round)
        SELECT $1, $2, n.epoch, $4 FROM nodes n WHERE n.epoch = $3
        RETURNING 1`,
      values: [targetKey, testKey, membership.epoch, held.generationOf(membership)],
    });
    if (made.length === 0) throw new MembershipIsOver();
    return { kind: "begun", test: { accountId: ref.accountId, targetKey, testKey }, target };
  }
}

interface Seen {
  readonly target: Target;
  readonly fullAt: Instant;
  readonly now: Instant;
}

/** Reads the target as it is now, and refuses if its limits leave no room. */
async function look(run: Run, ref: TargetRef): Promise<Seen> {
  const [row] = await run({
    name: "look-at-tested-target",
    text: `SELECT ${targetColumns}, s.full_at, now_ms() AS now,
        (SELECT count(*)::int FROM claims c WHERE c.target_key = t.target_key) AS in_flight
      FROM targets t JOIN target_turns s ON s.target_key = t.target_key
      LEFT JOIN target_events e ON e.target_key = t.target_key
      WHERE t.account_id = $1 AND t.target_id = $2 AND t.removal_time IS NULL
      FOR KEY SHARE OF t`,
    values: [ref.accountId, ref.targetId],
  });
  if (row === undefined) throw new Refused({ kind: "no-target" });
  const target = readTarget(row);
  const { full_at: fullAt, now, in_flight: inFlight } = row;
  if (inFlight >= target.maxConcurrency) throw new Refused({ kind: "busy" });
  const { rateLimit } = target;
  if (rateLimit !== null && rateAllowance(rateLimit, fullAt, now) === 0) {
    const opensInMs = Math.max(1, rateOpensAt(rateLimit, fullAt, now) - now);
    throw new Refused({ kind: "over-rate", opensInMs });
  }
  return { target, fullAt, now };
}

export function endTest({ connections, tests }: Context) {
  return async ({ accountId, targetKey, testKey }: TargetTest): Promise<void> => {
    // Forgets the test first: if removing the row fails, the row is found as a lost one.
    tests.drop(testKey);
    await connections.query(
      {
        name: "end-test",
        text: "DELETE FROM claims WHERE target_key = $1 AND message_id = $2",
        values: [targetKey, testKey],
      },
      accountId,
    );
  };
}
