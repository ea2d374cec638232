import type { EventMask } from "../../../../domain/events/event-types.ts";
import type { TrackedMessage } from "../../../../domain/message.ts";
import type { Schedule } from "../../../../domain/schedules/schedule.ts";
import type { Surroundings } from "../../../../domain/schedules/steps.ts";
import type { Row, Run } from "../../connections/connections.ts";
import { changeColumns, readMessage, rowKeyOf, stateNumber } from "../../rows/message-rows.ts";
import { claimedAmong } from "../claimed-among.ts";

export interface LockedMessage {
  readonly targetKey: number;
  readonly eventMask: EventMask;
  readonly message: TrackedMessage;
}

export interface EarlierRun {
  readonly state: Surroundings["earlier"];
  /** Only of a schedule that may replace it. */
  readonly locked?: LockedMessage;
}

const ended: EarlierRun = { state: "ended" };

/**
 * What has become of the messages of the runs before, for schedules whose `overlap` asks. A message that may be
 * replaced is locked, and no claim can come between. It counts as in flight if somebody else has locked it.
 */
export async function seeEarlier(
  run: Run,
  schedules: readonly Schedule[],
): Promise<(schedule: Schedule) => EarlierRun> {
  const asked = schedules.flatMap((schedule) => {
    const key = earlierKey(schedule);
    return key === undefined ? [] : [{ key, isReplaced: schedule.overlap === "replace" }];
  });
  if (asked.length === 0) return () => ended;
  const seen = await seeScheduled(run, asked);
  const toLock = asked.filter(({ key, isReplaced }) => isReplaced && seen.get(key) === "scheduled");
  const locked = await lockUnclaimed(run, toLock);
  return (schedule) => {
    const key = earlierKey(schedule);
    const state = key === undefined ? undefined : seen.get(key);
    if (state === undefined) return ended;
    if (schedule.overlap !== "replace" || state === "in-flight") return { state };
    return locked.get(key!) ?? { state: "in-flight" };
  };
}

function earlierKey({ overlap, progress }: Schedule): string | undefined {
  const { earlierMessageId } = progress;
  return overlap === "allow" || earlierMessageId === null ? undefined : rowKeyOf(earlierMessageId);
}

interface Asked {
  readonly key: string;
}

/** Those that have not ended, by the keys of their rows. */
async function seeScheduled(
  run: Run,
  asked: readonly Asked[],
): Promise<ReadonlyMap<string, "scheduled" | "in-flight">> {
  const rows = await run({
    name: "see-earlier-runs",
    text: `SELECT m.message_id, c.is_claimed FROM unnest($1::uuid[]) AS u(message_id)
      JOIN messages m ON m.message_id = u.message_id AND m.state = ${stateNumber("SCHEDULED")}
      LEFT JOIN LATERAL (
        SELECT true AS is_claimed FROM claims
        WHERE claims.target_key = m.target_key AND claims.message_id = m.message_id LIMIT 1) AS c ON true`,
    values: [asked.map(({ key }) => key)],
  });
  return new Map(
    rows.map((row) => [row["message_id"], row["is_claimed"] === null ? "scheduled" : "in-flight"]),
  );
}

/** By the keys of their rows. One is missing if somebody else has locked it. */
async function lockUnclaimed(
  run: Run,
  asked: readonly Asked[],
): Promise<ReadonlyMap<string, EarlierRun>> {
  if (asked.length === 0) return new Map();
  const rows = await run({
    name: "lock-earlier-runs",
    text: `SELECT ${changeColumns()} FROM unnest($1::uuid[]) AS u(message_id)
      JOIN messages m ON m.message_id = u.message_id
      JOIN targets t ON t.target_key = m.target_key
      FOR UPDATE OF m SKIP LOCKED`,
    values: [asked.map(({ key }) => key)],
  });
  const claimed = await claimedAmong(run, rows);
  return new Map(
    rows.map((row) => [
      row["message_id"] as string,
      earlierOf(row, claimed.has(row["message_id"])),
    ]),
  );
}

function earlierOf(row: Row, isClaimed: boolean): EarlierRun {
  const message = readMessage(row);
  if (message.state !== "SCHEDULED") return ended;
  if (isClaimed) return { state: "in-flight" };
  const { target_key: targetKey, event_mask: eventMask } = row;
  return { state: "scheduled", locked: { targetKey, eventMask, message } };
}
