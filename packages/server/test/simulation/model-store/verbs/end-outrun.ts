import type { Instant } from "../../../../src/domain/message.ts";
import { outrun } from "../../../../src/domain/transitions.ts";
import type { Context } from "../database-state.ts";

export function endOutrun({ state, node }: Context) {
  const { clock, messages, claims } = state;

  return (limit: number): { ended: number; nextBound: Instant | null } => {
    const now = clock.now();
    const over = messages.bounded
      .firstWhile(Infinity, ({ time }) => time <= now)
      .filter(({ messageId }) => claims.get(messageId) === undefined)
      .slice(0, limit)
      .map(({ messageId }) => messages.get(messageId)!);
    for (const stored of over) {
      messages.update(stored, outrun(stored.message, now, node.retentionMs)!);
    }
    const next = messages.bounded.firstFrom({ time: now + 1, targetKey: 0, messageId: "" });
    return { ended: over.length, nextBound: next?.time ?? null };
  };
}
