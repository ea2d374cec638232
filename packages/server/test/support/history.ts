import type { Receipt } from "./receiver.ts";

/** What one writer asked of one message, and what it was told. `unknown`: the answer was lost. */
export interface Event {
  readonly verb: "schedule" | "cancel" | "reschedule";
  readonly key: string;
  readonly messageId: string | null;
  /** What a schedule or reschedule asked for. */
  readonly dueAt: number;
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly answer: "ok" | "refused" | "unknown";
}

export interface FinalState {
  readonly state: string;
  readonly deliveryFailureCount: number;
  /** Attempts on record that did not deliver. */
  readonly failedAttempts: number;
}

export interface History {
  readonly events: readonly Event[];
  readonly receipts: readonly Receipt[];
  /** By message id; undefined where the service no longer knows the message. */
  readonly final: ReadonlyMap<string, FinalState | undefined>;
  readonly kills: number;
}

/** Every way in which the history breaks a promise, each naming the message and the promise. */
export function violations({ events, receipts, final, kills }: History): string[] {
  const found: string[] = [];
  const receiptsOf = Map.groupBy(receipts, (receipt) => receipt.messageId);
  const eventsOf = Map.groupBy(
    events.filter((event) => event.messageId !== null),
    (event) => event.messageId!,
  );

  const idsOfKey = Map.groupBy(
    events.filter((event) => event.verb === "schedule" && event.answer === "ok"),
    (event) => event.key,
  );
  for (const [key, answers] of idsOfKey) {
    const ids = new Set(answers.map((event) => event.messageId));
    if (ids.size > 1) found.push(`G2: key ${key} made ${[...ids].join(", ")}`);
  }

  for (const [messageId, own] of eventsOf) {
    const last = final.get(messageId);
    const got = receiptsOf.get(messageId) ?? [];
    if (last === undefined) {
      found.push(`G1: ${messageId} was acknowledged and is gone`);
      continue;
    }
    const schedule = own.find((event) => event.verb === "schedule")!;
    const moves = own.filter((event) => event.verb === "reschedule");
    const earliest = Math.min(
      schedule.dueAt,
      ...moves.filter((event) => event.answer !== "refused").map((event) => event.dueAt),
    );
    for (const { at } of got) {
      if (at < earliest) found.push(`G4: ${messageId} came at ${at}, due at ${earliest}`);
    }

    const cancel = own.find((event) => event.verb === "cancel" && event.answer === "ok");
    const mayBeCancelled = own.some(
      (event) => event.verb === "cancel" && event.answer === "unknown",
    );
    if (cancel !== undefined) {
      if (last.state !== "CANCELLED") {
        found.push(`G9: ${messageId} was cancelled and is ${last.state}`);
      }
      for (const { at } of got) {
        if (at > cancel.answeredAt) {
          found.push(`G9: ${messageId} came ${at - cancel.answeredAt} ms after its cancellation`);
        }
      }
    } else if (last.state !== "DELIVERED" && !(mayBeCancelled && last.state === "CANCELLED")) {
      found.push(`G3: ${messageId} ended as ${last.state}`);
    }
    if (last.state === "DELIVERED" && got.length === 0) {
      found.push(`G3: ${messageId} is DELIVERED and never came`);
    }

    for (const [index, move] of moves.entries()) {
      if (move.answer !== "ok") continue;
      const until = moves[index + 1]?.askedAt ?? Infinity;
      for (const { at } of got) {
        if (at > move.answeredAt && at < until && at < move.dueAt) {
          found.push(`G10: ${messageId} came at ${at}, moved to ${move.dueAt}`);
        }
      }
    }
    // An attempt that is not on record was cut off by a fault: at most one a fault.
    const onRecord = last.failedAttempts + (last.state === "DELIVERED" ? 1 : 0);
    if (got.length > onRecord + kills) {
      found.push(
        `G5: ${messageId} came ${got.length} times with ${onRecord} attempts on record and ${kills} faults`,
      );
    }
    if (last.deliveryFailureCount !== last.failedAttempts) {
      found.push(
        `G11: ${messageId} counts ${last.deliveryFailureCount} failures, on record are ${last.failedAttempts}`,
      );
    }
  }
  return found;
}
