import { outrun } from "../../../domain/transitions.ts";
import type { Context } from "./context.ts";

export function endOutrun({ db, clock, claims, messages, retentionMs }: Context) {
  const selectOver = db.prepare(
    "SELECT message_key FROM message_bounds WHERE not_after <= ? ORDER BY not_after LIMIT ?",
  );
  selectOver.setReturnArrays(true);
  const selectNext = db.prepare(
    "SELECT min(not_after) AS next FROM message_bounds WHERE not_after > ?",
  );

  return (limit: number): { ended: number; nextBound: number | null } => {
    const now = clock.now();
    let ended = 0;
    // Messages in flight stand at the head, and their attempts decide.
    const over = selectOver.all(now, limit + claims.count) as unknown as [number][];
    for (const [messageKey] of over) {
      if (claims.get(messageKey) !== undefined) continue;
      const stored = messages.byKey(messageKey);
      const after = outrun(stored.message, now, retentionMs);
      if (after === undefined) continue;
      messages.update(stored, after, { now });
      ended++;
    }
    return { ended, nextBound: selectNext.get(now)!["next"] as number | null };
  };
}
