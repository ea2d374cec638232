import type { Instant } from "../../../../src/domain/message.ts";
import { outrun } from "../../../../src/domain/transitions.ts";
import type { Context } from "../database-state.ts";
import { teller } from "./events/tell.ts";

export function endOutrun(context: Context) {
  const { state, node } = context;
  const tell = teller(context);
  const { clock, messages, claims } = state;

  return (limit: number): { ended: number; nextBound: Instant | null } => {
    const now = clock.now();
    const over = messages.bounded
      .firstWhile(Infinity, ({ time }) => time <= now)
      .filter(({ messageId }) => claims.get(messageId) === undefined)
      .slice(0, limit)
      .map(({ messageId }) => messages.get(messageId)!);
    for (const stored of over) {
      const before = stored.message;
      messages.update(stored, outrun(before, now, node.retentionMs)!);
      tell.changed(stored, before);
    }
    const next = messages.bounded.firstFrom({ time: now + 1, targetKey: 0, messageId: "" });
    return { ended: over.length, nextBound: next?.time ?? null };
  };
}
