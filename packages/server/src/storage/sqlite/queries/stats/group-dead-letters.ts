import { latestTime } from "../../../../domain/times.ts";
import { DeadLetterGroups } from "../../../dead-letter-groups.ts";
import type { GroupRequest, GroupSlice } from "../../../store.ts";
import { behindMessage, messageColumns, readStoredMessage } from "../../rows/message-columns.ts";
import type { Values } from "../../rows/rows.ts";
import { beginLook } from "./reading-context.ts";
import type { ReadingContext } from "./reading-context.ts";
import { walkedTargets } from "./walked-targets.ts";

/** How many dead letters are read between two looks at the clock. */
const piece = 100;

/** A place in a target's dead letters, and how many of them were looked at before it. */
interface Position {
  readonly time: number;
  readonly key: number;
  readonly looked: number;
}

type Reached = readonly [targetId: string, position: Position | null];

const atTheNewest: Position = { time: latestTime, key: Number.MAX_SAFE_INTEGER, looked: 0 };

export function groupDeadLetters(context: ReadingContext) {
  const { db, clock } = context;
  const targetsOf = walkedTargets(context);
  const select = db.prepare(
    `SELECT ${messageColumns},
       (SELECT status_code FROM attempts a WHERE a.message_key = m.message_key
        ORDER BY number DESC LIMIT 1)
     FROM messages m JOIN targets USING (target_key)
     WHERE m.target_key = ?1 AND dead_letter_time <= ?2
       AND (dead_letter_time, m.message_key) < (?2, ?3)
     ORDER BY dead_letter_time DESC, m.message_key DESC LIMIT ${piece}`,
  );
  select.setReturnArrays(true);

  return (request: GroupRequest): GroupSlice => {
    const groups = new DeadLetterGroups();
    const isOver = beginLook(context);
    const now = clock.now();
    let exact = true;
    const [from, within] = request.after === null ? [] : (JSON.parse(request.after) as Reached);

    const goOn = (targetKey: number, { time, key, looked }: Position): Position | null => {
      const rows = select.all(targetKey, time, key) as unknown as Values[];
      const wanted = rows.slice(0, request.mostOfOne - looked);
      if (wanted.length < rows.length) exact = false;
      let last = { time, key };
      for (const row of wanted) {
        const { message, messageKey } = readStoredMessage(row);
        last = { time: message.deadLetterTime!, key: messageKey };
        if (message.expirationTime !== null && message.expirationTime <= now) continue;
        groups.add(message, row[behindMessage] as number | null);
      }
      if (wanted.length < piece) return null;
      return { ...last, looked: looked + wanted.length };
    };

    for (const { targetKey, targetId } of targetsOf(request, from ?? null)) {
      let position: Position | null = targetId === from ? (within ?? null) : atTheNewest;
      while (position !== null) {
        position = goOn(targetKey, position);
        const reached = JSON.stringify([targetId, position]);
        if (isOver()) return { groups: groups.all(), exact, reached };
      }
    }
    return { groups: groups.all(), exact, reached: null };
  };
}
