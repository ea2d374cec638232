import { meetHolder, outcomeOf } from "../../../domain/message-key.ts";
import type { Instant } from "../../../domain/instant.ts";
import type { EventMask } from "../../../domain/events/event-types.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import { instantOf } from "../../../domain/wanted-time.ts";
import type { ScheduleResult } from "../../store.ts";
import type { Run } from "../connections/connections.ts";
import { isTooLate, keptAs, timed } from "../rows/message-candidate.ts";
import type { KeptMessage, MessageCandidate } from "../rows/message-candidate.ts";
import { changeColumns, readMessage, updatePayloads } from "../rows/message-rows.ts";
import { deleteKeys, keyHeldBy, replaceLabels, takeMessageKeys } from "../rows/option-rows.ts";
import { writeMessages } from "../rows/write-messages.ts";
import { claimedAmong } from "./claimed-among.ts";

/** What a candidate with a key has met. The key and its holder stay locked until the commit. */
export type Meeting =
  /** The key was free, and is the candidate's now. */
  | { readonly kind: "free"; readonly targetKey: number }
  | { readonly kind: "refused"; readonly result: ScheduleResult }
  /** Another call holds or has just freed it. Nothing has happened, and the candidate is decided by itself. */
  | { readonly kind: "unmet" }
  | {
      readonly kind: "in-place" | "anew";
      readonly targetKey: number;
      readonly eventMask: EventMask;
      readonly before: TrackedMessage;
      readonly after: TrackedMessage;
      readonly deliveryTime: Instant;
    };

export type Meetings = ReadonlyMap<MessageCandidate, Meeting>;

export interface MeetingTime {
  readonly now: Instant;
  readonly retentionMs: number;
}

/**
 * No two candidates want the same key. The answer has the time at which all locks were there: while this call
 * waited for a holder, an attempt at it may have begun and ended.
 *
 * Locks keys in one order, then their holders. Several candidates do not wait for a holder that another call has
 * locked: a node that records attempts locks messages in any order, and they could wait for each other in a
 * circle. A single candidate holds no other message, and waits.
 */
export async function meetHolders(
  run: Run,
  candidates: readonly MessageCandidate[],
  { now: begunAt, retentionMs }: MeetingTime,
): Promise<{ readonly meetings: Meetings; readonly now: Instant }> {
  const meetings = new Map<MessageCandidate, Meeting>();
  const keyed = candidates.filter(({ request }) => request.wantedKey !== undefined);
  if (keyed.length === 0) return { meetings, now: begunAt };
  const targetKeys = await findTargets(run, keyed);
  const wanting: Wanting[] = [];
  for (const candidate of keyed) {
    const targetKey = targetKeys.get(placeOf(candidate));
    if (targetKey === undefined) refuse(candidate, { kind: "no-target" });
    else wanting.push({ candidate, targetKey, wanted: candidate.request.wantedKey! });
  }
  const taken = await takeMessageKeys(run, wanting.map(heldKey));
  const others: Wanting[] = [];
  for (const each of wanting) {
    const { candidate, targetKey } = each;
    if (taken.has(candidate.uuid)) meetings.set(candidate, { kind: "free", targetKey });
    else others.push(each);
  }
  const holders = await lockHolders(run, others, { waits: keyed.length === 1 });
  const now = holders
    .values()
    .reduce((latest, { lockedAt }) => Math.max(latest, lockedAt), begunAt);
  for (const each of others) {
    const holder = holders.get(nameOf(each));
    meetings.set(each.candidate, holder === undefined ? { kind: "unmet" } : meet(each, holder));
  }
  await giveKeysOfLateOnesBack();
  return { meetings, now };

  function refuse(candidate: MessageCandidate, result: ScheduleResult): void {
    meetings.set(candidate, { kind: "refused", result });
  }

  function meet({ candidate, targetKey, wanted }: Wanting, holder: LockedHolder): Meeting {
    const { message: before, eventMask, isHeld } = holder;
    const deliveryTime = instantOf(candidate.request.deliveryTime, now);
    const newcomer = { wanted, deliveryTime, options: candidate.request.options! };
    const decision = meetHolder(newcomer, before, { isHeld, now, retentionMs });
    switch (decision.kind) {
      case "key-taken":
      case "held":
        return { kind: "refused", result: { ...decision, messageId: before.messageId } };
      case "kept":
        return {
          kind: "refused",
          result: { kind: "kept", message: before, keyOutcome: "kept" },
        };
      case "in-place":
        return {
          ...{ kind: "in-place", targetKey, eventMask, deliveryTime },
          ...{ before, after: decision.holder },
        };
      case "anew": {
        const { holder: after, deliveryTime: planned } = decision;
        return { kind: "anew", targetKey, eventMask, before, after, deliveryTime: planned };
      }
      default:
        return { kind: "refused", result: decision };
    }
  }

  async function giveKeysOfLateOnesBack(): Promise<void> {
    const late = [...meetings].filter(
      ([candidate, { kind }]) => kind === "free" && isTooLate(candidate, now),
    );
    for (const [candidate] of late) refuse(candidate, { kind: "too-late" });
    await deleteKeys(
      run,
      late.flatMap(([candidate, meeting]) => freeKeyOf(candidate, meeting)),
    );
  }
}

interface Wanting {
  readonly candidate: MessageCandidate;
  readonly targetKey: number;
  readonly wanted: NonNullable<MessageCandidate["request"]["wantedKey"]>;
}

function heldKey({ candidate, targetKey, wanted }: Wanting) {
  return { targetKey, key: wanted.key, messageKey: candidate.uuid };
}

function placeOf({ request }: MessageCandidate): string {
  return JSON.stringify([request.accountId, request.targetId]);
}

function nameOf({ targetKey, wanted }: Wanting): string {
  return `${targetKey} ${wanted.key}`;
}

async function findTargets(
  run: Run,
  candidates: readonly MessageCandidate[],
): Promise<ReadonlyMap<string, number>> {
  const places = [...new Map(candidates.map((each) => [placeOf(each), each])).values()];
  const rows = await run({
    name: "find-targets-of-keys",
    text: `SELECT t.account_id, t.target_id, t.target_key
      FROM unnest($1::text[], $2::text[]) AS u(account_id, target_id)
      JOIN targets t ON t.account_id = u.account_id AND t.target_id = u.target_id
      WHERE t.removal_time IS NULL`,
    values: [
      places.map(({ request }) => request.accountId),
      places.map(({ request }) => request.targetId),
    ],
  });
  return new Map(
    rows.map((row) => [
      JSON.stringify([row["account_id"], row["target_id"]]),
      row["target_key"] as number,
    ]),
  );
}

interface LockedHolder {
  readonly message: TrackedMessage;
  readonly eventMask: EventMask;
  readonly lockedAt: Instant;
  readonly isHeld: boolean;
}

/** By target and key. One is missing if its key was freed meanwhile or, without waiting, if it is locked. */
async function lockHolders(
  run: Run,
  wanting: readonly Wanting[],
  { waits }: { readonly waits: boolean },
): Promise<ReadonlyMap<string, LockedHolder>> {
  if (wanting.length === 0) return new Map();
  const rows = await run({
    name: waits ? "wait-for-key-holder" : "lock-key-holders",
    text: `SELECT ${changeColumns()}, k.key, now_ms() AS now FROM unnest($1::int[], $2::text[]) AS u(target_key, key)
      JOIN message_keys k ON k.target_key = u.target_key AND k.key = u.key
      JOIN messages m ON m.message_id = k.message_id
      JOIN targets t ON t.target_key = m.target_key
      FOR UPDATE OF m${waits ? "" : " SKIP LOCKED"}`,
    values: [wanting.map(({ targetKey }) => targetKey), wanting.map(({ wanted }) => wanted.key)],
  });
  const claimed = await claimedAmong(run, rows);
  const holders = new Map<string, LockedHolder>();
  for (const row of rows) {
    const message = readMessage(row);
    // It may have ended while this call waited for the lock.
    if (keyHeldBy(message) !== row["key"]) continue;
    const isHeld = claimed.has(row["message_id"]);
    holders.set(`${row["target_key"]} ${row["key"]}`, {
      ...{ message, eventMask: row["event_mask"], isHeld },
      lockedAt: row["now"],
    });
  }
  return holders;
}

/** The candidates to store as new messages, each with its time. The others have none. */
export function newMessages(
  candidates: readonly MessageCandidate[],
  meetings: Meetings,
  now: Instant,
): MessageCandidate[] {
  return candidates.flatMap((candidate) => {
    const meeting = meetings.get(candidate);
    if (meeting === undefined || meeting.kind === "free") return [timed(candidate, now)];
    if (meeting.kind !== "anew") return [];
    const { request } = candidate;
    return [{ ...candidate, request: { ...request, deliveryTime: meeting.deliveryTime } }];
  });
}

/** Ends or rewrites the holders, once the newcomers are admitted. New messages are inserted afterwards. */
export async function changeHolders(run: Run, meetings: Meetings, now: Instant): Promise<void> {
  const changes = [...meetings].flatMap(([candidate, meeting]) =>
    meeting.kind === "in-place" || meeting.kind === "anew"
      ? [{ candidate, ...meeting, now, isNewContent: meeting.kind === "in-place" }]
      : [],
  );
  if (changes.length === 0) return;
  await writeMessages(run, changes);
  const rewritten = changes.filter(({ kind }) => kind === "in-place");
  if (rewritten.length > 0) {
    await run(
      updatePayloads(
        rewritten.map(({ candidate, after }) => ({ message: after, ...candidate.request })),
      ),
    );
    await replaceLabels(
      run,
      rewritten.map((change) => ({ ...change, accountId: change.candidate.request.accountId })),
    );
  }
  await takeMessageKeys(
    run,
    changes
      .filter(({ kind }) => kind === "anew")
      .map(({ candidate, targetKey }) => ({
        ...{ targetKey, key: candidate.request.wantedKey!.key },
        messageKey: candidate.uuid,
      })),
  );
}

/** For candidates that were not stored after all. */
export async function giveMessageKeysBack(
  run: Run,
  candidates: readonly MessageCandidate[],
  meetings: Meetings,
): Promise<void> {
  await deleteKeys(
    run,
    candidates.flatMap((candidate) => freeKeyOf(candidate, meetings.get(candidate))),
  );
}

function freeKeyOf({ request, uuid }: MessageCandidate, meeting: Meeting | undefined) {
  if (meeting?.kind !== "free") return [];
  return [{ targetKey: meeting.targetKey, key: request.wantedKey!.key, messageKey: uuid }];
}

/** What the caller hears of a candidate that was admitted. */
export function keptByMeeting(
  candidate: MessageCandidate,
  meeting: Meeting,
  now: Instant,
): KeptMessage {
  if (meeting.kind === "refused" || meeting.kind === "unmet") {
    throw new Error("a refused candidate is not stored");
  }
  const keyOutcome = outcomeOf(candidate.request.wantedKey!, meeting.kind !== "free");
  const { targetKey } = meeting;
  if (meeting.kind === "in-place") {
    return { kind: "scheduled", message: meeting.after, targetKey, keyOutcome };
  }
  return { ...keptAs(candidate, targetKey, now), keyOutcome };
}
