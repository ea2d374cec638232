import { outrun } from "../../../domain/transitions.ts";
import type { Run } from "../connections/connections.ts";
import { claimedAmong } from "./claimed-among.ts";
import type { WorkContext } from "./context.ts";
import { changeColumns, readMessage } from "../rows/message-rows.ts";
import { writeMessages } from "../rows/write-messages.ts";
import { readClock } from "./read-clock.ts";

/** Several nodes may do this at once: each takes what no other has locked. */
export function endOutrun({ connections, retentionMs }: WorkContext) {
  return async (limit: number): Promise<{ ended: number; nextBound: number | null }> => {
    // Passed as a value: a clock that is asked again for every row cannot bound an index scan.
    const now = await readClock(connections.query);
    const [next] = await connections.query({
      name: "next-bounds",
      text: `SELECT (SELECT not_after FROM message_bounds ORDER BY not_after LIMIT 1) AS first,
        (SELECT not_after FROM message_bounds WHERE not_after > $1 ORDER BY not_after LIMIT 1)
          AS later`,
      values: [now],
    });
    const { first, later } = next as {
      readonly first: number | null;
      readonly later: number | null;
    };
    const isOver = first !== null && first <= now;
    const ended = isOver ? await connections.transaction((run) => endSome(run, limit)) : 0;
    return { ended, nextBound: later };

    async function endSome(run: Run, most: number): Promise<number> {
      const rows = await run({
        name: "lock-outrun-messages",
        text: `SELECT ${changeColumns()} FROM (
            SELECT message_id FROM message_bounds b WHERE not_after <= $1
              -- Messages in flight stand at the head, and their attempts decide.
              AND NOT EXISTS (SELECT 1 FROM messages m
                JOIN claims c ON c.target_key = m.target_key AND c.message_id = m.message_id
                WHERE m.message_id = b.message_id)
            ORDER BY not_after LIMIT $2) AS over
          JOIN messages m ON m.message_id = over.message_id
          JOIN targets t ON t.target_key = m.target_key
          FOR UPDATE OF m SKIP LOCKED`,
        values: [now, most],
      });
      const claimed = await claimedAmong(run, rows);
      const changes = rows.flatMap((row) => {
        if (claimed.has(row["message_id"])) return [];
        const before = readMessage(row);
        const after = outrun(before, now, retentionMs);
        const { target_key: targetKey, event_mask: eventMask } = row;
        return after === undefined ? [] : [{ targetKey, eventMask, now, before, after }];
      });
      await writeMessages(run, changes);
      return changes.length;
    }
  };
}
