import type { EventMask } from "../../../domain/events/event-types.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import { decideChange } from "../../../domain/transitions.ts";
import type { RequestedChange } from "../../../domain/transitions.ts";
import { instantOf } from "../../../domain/wanted-time.ts";
import type { WantedTime } from "../../../domain/wanted-time.ts";
import { pause } from "../../../platform/timers.ts";
import { changeResult, conditionsOf } from "../../change-result.ts";
import type { ChangeConditions } from "../../change-result.ts";
import type { CancelRequest, ChangeResult, RescheduleRequest } from "../../store.ts";
import type { Run } from "../connections/connections.ts";
import type { Context } from "./context.ts";
import { gather } from "../batches/gather.ts";
import { lookForAnswers } from "./look-for-answers.ts";
import type { ClaimKey } from "./look-for-answers.ts";
import { changeColumns, messageIdOf, readMessage, rowKeyOf } from "../rows/message-rows.ts";
import { keyHeldBy, takeMessageKeys } from "../rows/option-rows.ts";
import { writeMessages } from "../rows/write-messages.ts";

/** How often a waiting call checks whether the node that holds the message has decided. */
const lookEveryMs = 15;

export function messageChanges(context: Context) {
  const change = changeMessage(context);
  return {
    cancelMessage: (request: CancelRequest) => change(request, null),
    rescheduleMessage: (request: RescheduleRequest) =>
      change(request, request.deliveryTime, conditionsOf(request)),
  };
}

const lockText = `SELECT ${changeColumns()}, t.removal_time, now_ms() AS now
  FROM messages m JOIN targets t USING (target_key)
  WHERE m.message_id = $1 AND m.account_id = $2
    AND (m.expiration_time IS NULL OR m.expiration_time > now_ms())
  FOR UPDATE OF m`;
const lockForCancel = { name: "lock-message", text: lockText };
/** Locks the target against removal too: a message that has ended may become scheduled again. */
const lockForReschedule = {
  name: "lock-message-and-target",
  text: `${lockText} FOR KEY SHARE OF t`,
};

interface HeldByAttempt {
  readonly kind: "held";
  readonly claim: SeenClaim;
}

/** A claim in the way of a change: the membership that holds it, and the message's version. */
interface SeenClaim extends ClaimKey {
  readonly accountId: string;
  readonly epoch: number;
  readonly version: number;
  /** By the database's clock. */
  readonly seenAt: number;
}

function changeMessage(context: Context) {
  const { connections, clock, timers, retentionMs, soonestAbandonedMs } = context;
  // One connection serves any number of waiting calls.
  const look = gather(lookForAnswers(context), {
    mostWeight: 1_000,
    mostUnderWay: 1,
    onBatch: () => {},
    apart: ({ changeId }) => String(changeId),
  });

  return async (
    request: CancelRequest,
    wanted: WantedTime | null,
    conditions: ChangeConditions = {},
  ): Promise<ChangeResult> => {
    const asking = (deliveryTime: number | null): RequestedChange => ({
      deliveryTime,
      ...conditions,
    });
    let time = wanted;
    const key = rowKeyOf(request.messageId);
    if (key === undefined) return { kind: "not-found" };
    const deadline = clock.monotonic() + request.waitMs;
    for (;;) {
      const { accountId } = request;
      const result = await connections.transaction((run) => changeNow(run, key), accountId);
      if (result.kind !== "held") return result;
      // A delay counts from here, however often the call has to wait and try again.
      const deliveryTime = instantOf(time, result.claim.seenAt);
      time = deliveryTime;
      const leftMs = deadline - clock.monotonic();
      if (leftMs <= 0) return { kind: "in-flight" };
      const changeId = await beginToWait(result.claim, asking(deliveryTime), leftMs);
      const decided =
        changeId === undefined ? "again" : await waitFor(changeId, result.claim, deadline);
      if (decided !== "again") return decided;
    }

    async function changeNow(run: Run, rowKey: string): Promise<ChangeResult | HeldByAttempt> {
      const [row] = await run({
        ...(time === null ? lockForCancel : lockForReschedule),
        values: [rowKey, request.accountId],
      });
      if (row === undefined) return { kind: "not-found" };
      const targetKey = row["target_key"] as number;
      // A separate statement sees a claim committed while the first one waited for the lock.
      const [claim] = await run({
        name: "find-claim",
        text: "SELECT epoch FROM claims WHERE target_key = $1 AND message_id = $2",
        values: [targetKey, rowKey],
      });
      const message = readMessage(row);
      if (claim !== undefined) {
        const { epoch } = claim as { readonly epoch: number };
        const { version } = message;
        const { accountId } = request;
        const seenAt = row["now"] as number;
        const found = { accountId, targetKey, key: rowKey, epoch, version, seenAt };
        return { kind: "held", claim: found };
      }
      const now = row["now"] as number;
      const decision = decideChange(message, asking(instantOf(time, now)), now, retentionMs);
      if (decision.kind === "changed") {
        if (decision.message.state === "SCHEDULED" && row["removal_time"] !== null) {
          return { kind: "no-target" };
        }
        const taken = await keyTakenMeanwhile(run, targetKey, message, decision.message);
        if (taken !== undefined) return taken;
        const eventMask = row["event_mask"] as EventMask;
        const change = { targetKey, eventMask, now, before: message, after: decision.message };
        await writeMessages(run, [change]);
      }
      return changeResult(decision, targetKey);
    }
  };

  /**
   * Marks the claim, so that its holder reads the waiting changes before it records the outcome.
   * The message itself stays unlocked meanwhile. Changes left over from an earlier claim, whose
   * callers have died or have not yet noticed its end, do not apply to this claim.
   *
   * If this statement runs after its caller abandoned it, it does nothing: a later claim is another
   * one, and on this claim changes that were asked later may wait, which it must not overrule.
   * Undefined: the claim has ended, or the statement came too late.
   */
  async function beginToWait(
    { accountId, targetKey, key, epoch, version, seenAt }: SeenClaim,
    { deliveryTime, bound, whileScheduled }: RequestedChange,
    leftMs: number,
  ): Promise<number | undefined> {
    const until = seenAt + Math.ceil(Math.min(leftMs, soonestAbandonedMs));
    const [row] = await connections.query(
      {
        name: "wait-for-outcome",
        text: `
        WITH claim AS MATERIALIZED (
          SELECT message_id, awaited FROM claims
          WHERE target_key = $1 AND message_id = $2 AND epoch = $4 AND now_ms() <= $6::bigint
            AND EXISTS (SELECT 1 FROM messages WHERE message_id = $2 AND version = $5)
          FOR UPDATE
        ), left_over AS (
          DELETE FROM waiting_changes
          WHERE message_id = (SELECT message_id FROM claim WHERE NOT awaited) AND answer IS NULL
        ), marked AS (
          UPDATE claims SET awaited = true
          WHERE target_key = $1 AND message_id = (SELECT message_id FROM claim)
          RETURNING message_id)
        INSERT INTO waiting_changes (message_id, delivery_time, bound, while_scheduled)
        SELECT message_id, $3, $7, $8 FROM marked RETURNING change_id`,
        values: [
          targetKey,
          key,
          deliveryTime,
          epoch,
          version,
          until,
          bound === undefined ? null : JSON.stringify(bound),
          whileScheduled === true,
        ],
      },
      accountId,
    );
    return row?.["change_id"] as number | undefined;
  }

  /** "again": the attempt ended without an outcome, and the change can be made now. */
  async function waitFor(
    changeId: number,
    claim: SeenClaim,
    deadline: number,
  ): Promise<ChangeResult | "again"> {
    const takeBack = takingBack(changeId, claim.accountId);
    for (;;) {
      const [seen] = await look([{ changeId, claim }]);
      if (seen === undefined) return "again";
      if (seen.answer !== null) {
        await takeBack({ answered: true });
        return JSON.parse(seen.answer) as ChangeResult;
      }
      const tooLate = clock.monotonic() >= deadline;
      if (tooLate || !seen.inFlight) {
        // Only if still unanswered: the holder may be deciding at this very moment.
        if (await takeBack({ answered: false })) return tooLate ? { kind: "in-flight" } : "again";
        continue;
      }
      await pause(timers, Math.min(lookEveryMs, Math.max(1, deadline - clock.monotonic())));
    }
  }

  function takingBack(changeId: number, accountId: string) {
    const take = {
      name: "take-change-back",
      text: `DELETE FROM waiting_changes WHERE change_id = $1 AND (answer IS NOT NULL) = $2
        RETURNING change_id`,
    };
    return async ({ answered }: { readonly answered: boolean }): Promise<boolean> => {
      const rows = await connections.query({ ...take, values: [changeId, answered] }, accountId);
      return rows.length > 0;
    };
  }
}

/** A message that has ended has given its key back. It needs it again when it is scheduled again. */
async function keyTakenMeanwhile(
  run: Run,
  targetKey: number,
  before: TrackedMessage,
  after: TrackedMessage,
): Promise<ChangeResult | undefined> {
  const key = keyHeldBy(after);
  if (key === undefined || keyHeldBy(before) === key) return undefined;
  const taken = await takeMessageKeys(run, [
    { targetKey, key, messageKey: rowKeyOf(after.messageId) },
  ]);
  if (taken.size > 0) return undefined;
  const [row] = await run({
    name: "find-message-key",
    text: "SELECT message_id FROM message_keys WHERE target_key = $1 AND key = $2",
    values: [targetKey, key],
  });
  // Freed a moment ago: the next try gets it.
  if (row === undefined) return keyTakenMeanwhile(run, targetKey, before, after);
  return { kind: "key-taken", messageId: messageIdOf(row["message_id"]) };
}
