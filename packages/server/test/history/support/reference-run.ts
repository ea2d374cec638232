import { promisedBounds } from "../history.ts";
import type { FinalMessage, History } from "../history.ts";
import { ReferenceCallers } from "./reference-callers.ts";
import { leaseMs, ReferenceDeliveries, timeoutMs } from "./reference-deliveries.ts";
import { ReferenceWorld } from "./reference-world.ts";
import type { ReferenceOptions } from "./reference-world.ts";
import { accountId, policy } from "./small-history.ts";

/** A history that a correct service may have. Every call, attempt and crash has its own instant. */
export function referenceRun(options: ReferenceOptions): History {
  const world = new ReferenceWorld(options);
  const deliveries = new ReferenceDeliveries(world);
  const callers = new ReferenceCallers(world, deliveries, options);
  callers.start();
  world.run();
  const { store, asked, receipts, crashes, now } = world;
  const takenAt = now + 25_000;
  const messages = new Map<string, FinalMessage | null>();
  for (const [messageId, { attempts, payload }] of store.rows) {
    const answer = store.get(messageId, takenAt);
    if (answer.kind === "ok") messages.set(messageId, { ...answer, attempts, payload });
  }
  return {
    asked,
    receipts,
    faults: crashes,
    targets: [{ accountId, targetId: "t", retryPolicy: policy, timeoutMs }],
    final: {
      takenAt,
      messages,
      isComplete: true,
      usage: [{ accountId, month: "1970-01", used: store.used, limit: options.limit }],
    },
    bounds: {
      ...promisedBounds,
      leaseMs,
      takeoverMs: 2 * leaseMs,
      sendMs: 3,
      recordMs: 15,
      retentionMs: options.retentionMs,
    },
    expects: { schedules: 0, cancels: 0, reschedules: 0, unknowns: 0, receipts: 0, takeovers: 0 },
  };
}
