import { decideNextStep } from "../../../src/domain/retry-policy.ts";
import type { AttemptReport } from "../../../src/domain/attempt.ts";
import { webhookFailures } from "../../../src/targets/webhook/webhook-outcomes.ts";
import type { ReferenceWorld } from "./reference-world.ts";
import { policy } from "./small-history.ts";

export const timeoutMs = 200;
export const leaseMs = 1_000;

/** Sends due messages from one of two nodes and records the outcomes, unless the node crashes. */
export class ReferenceDeliveries {
  readonly #world: ReferenceWorld;

  constructor(world: ReferenceWorld) {
    this.#world = world;
  }

  wakeFor(messageId: string, dueAt: number): void {
    const world = this.#world;
    const at = Math.max(dueAt, world.now) + world.chance.between(0, 20);
    world.at(at, () => this.#attempt(messageId));
  }

  #attempt(messageId: string): void {
    const { store, chance, now, aliveNodes } = this.#world;
    const row = store.find(messageId, now);
    const dueAt = row?.message.nextDeliveryTime ?? Infinity;
    if (row === undefined || row.holder !== null || dueAt > now) return;
    const node = chance.pick(aliveNodes);
    if (node === undefined) return this.wakeFor(messageId, now + 50);
    row.holder = node;
    const status = chance.pick([204, 204, 500, null])!;
    const startedAt = now + chance.between(0, 2);
    const endedAt = startedAt + (status === null ? timeoutMs : chance.between(1, 60));
    const recordAt = endedAt + chance.between(0, 10);
    const crashAt = this.#world.nextCrash(node);
    const brokenOffAt = Math.max(startedAt, crashAt);
    const isAnswered = brokenOffAt >= endedAt;
    this.#world.receipts.push({
      messageId,
      webhookId: messageId,
      attemptNumber: row.attempts.length + 1,
      targetId: "t",
      body: Buffer.from(row.payload),
      startedAt,
      endedAt: isAnswered ? endedAt : brokenOffAt,
      status: isAnswered ? status : null,
      node,
    });
    if (crashAt <= recordAt) {
      // Others take over when the lease has run out.
      const freedAt = crashAt + leaseMs + chance.between(0, 200);
      this.#world.at(freedAt, () => {
        store.release(row, this.#world.now);
        this.wakeFor(messageId, freedAt);
      });
      return;
    }
    this.#world.at(recordAt, () => this.#record(messageId, status, startedAt, endedAt));
  }

  #record(messageId: string, status: number | null, startTime: number, endTime: number): void {
    const { store, now } = this.#world;
    const row = store.rows.get(messageId)!;
    const failure = status === null ? "TIMEOUT" : "BAD_STATUS";
    const report: AttemptReport = {
      outcome: status === 204 ? "DELIVERED" : failure,
      statusCode: status,
      error: null,
      response: null,
      retryAfterMs: null,
    };
    const attemptsThisRound = row.message.attemptsThisRound + 1;
    const failures = webhookFailures;
    const next = decideNextStep({ report, failures, policy, attemptsThisRound, random: 0 });
    const { retryAfterMs: _, ...outcome } = report;
    const number = row.attempts.length + 1;
    store.record(row, { ...outcome, number, startTime, endTime }, next, now);
    const { nextDeliveryTime } = row.message;
    if (nextDeliveryTime !== null) this.wakeFor(messageId, nextDeliveryTime);
  }
}
