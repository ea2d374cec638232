import { healthMask } from "../../../domain/events/event-types.ts";
import type { EventMask } from "../../../domain/events/event-types.ts";
import type { Run } from "../connections/connections.ts";

/**
 * Part of the outbox, because attempts may be there that count for the health until now. A row without a message and
 * without facts says so.
 */
export const forgetHealthOf = (targetKeys: string): string => `
  INSERT INTO event_outbox (types, time, target_key) SELECT 0, now_ms(), target_key FROM ${targetKeys}`;

/** The target was removed: another life begins with a clean record. */
export async function forgetHealth(run: Run, targetKey: number, mask: EventMask): Promise<void> {
  if ((mask & healthMask) === 0) return;
  await run({
    name: "forget-health",
    text: forgetHealthOf("(SELECT $1::int AS target_key) AS removed"),
    values: [targetKey],
  });
}
