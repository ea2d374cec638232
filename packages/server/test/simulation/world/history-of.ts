import type { EngineBounds } from "../../../src/engine/delivery/bounds.ts";
import { completeRetryPolicy } from "../../../src/operations/retry-policies/complete-retry-policy.ts";
import { promisedBounds } from "../../history/history.ts";
import type { Final, History, Receipt, TargetTerms } from "../../history/history.ts";
import type { ToldEvents } from "../../history/events/told-events.ts";
import { StoreClock } from "../../history/store-clock.ts";
import type { ModelDatabase } from "../model-store/model-database.ts";
import type { Snapshot } from "../model-store/snapshot.ts";
import type { World } from "./make-move.ts";
import { paceOf } from "./pace-of.ts";
import { policyOf } from "./scenario.ts";
import type { Scenario, SimulatedTarget } from "./scenario.ts";
import { isolationMsWith } from "./tiny-bounds.ts";

export interface PlayedWorld extends World {
  readonly scenario: Scenario;
  readonly database: ModelDatabase;
  readonly engineBounds: EngineBounds;
  /** Whether what was told is held against what has happened. */
  readonly isToldJudged: boolean;
}

const cancelWaitMs = 5_000;
const hour = 3_600_000;

/** Everything that was seen of a world, for the judge of histories. */
export function historyOf(world: PlayedWorld): History {
  const { isToldJudged, time, storeClock, network, callers, sky, scenario, database } = world;
  const { nodes, apiNodes, leaseMs } = scenario;
  const takenAt = time.now();
  const storeTime = storeClock.now();
  const snapshot = database.snapshot();
  // An expired message does not exist, whether or not it has been removed yet.
  const visible = snapshot.messages.filter(
    ({ message: { expirationTime } }) => expirationTime === null || expirationTime > storeTime,
  );
  const final: Final = {
    takenAt,
    messages: new Map(
      visible.map(({ message, payload, attempts }) => [
        message.messageId,
        { message, payload, attempts },
      ]),
    ),
    isComplete: true,
    usage: snapshot.usage,
  };
  const receipts = network.arrivals.map((arrival): Receipt => ({
    messageId: arrival.messageId,
    webhookId: arrival.messageId,
    attemptNumber: arrival.attemptNumber,
    targetId: arrival.targetId,
    body: arrival.payload,
    startedAt: arrival.startedAt,
    endedAt: arrival.endedAt,
    status: arrival.status,
    node: arrival.nodeId,
  }));
  const targets = scenario.targets.map((target): TargetTerms => ({
    accountId: target.accountId,
    targetId: target.targetId,
    retryPolicy: completeRetryPolicy(policyOf(target)),
    timeoutMs: target.timeoutMs,
    mayWait: mayWait(scenario, target),
    pace: paceOf(target, callers.managed),
  }));
  return {
    asked: callers.asked,
    ...(isToldJudged && { events: toldIn(snapshot) }),
    receipts,
    faults: sky.faults,
    targets,
    final,
    clockSteps: storeClock.steps,
    bounds: {
      ...promisedBounds,
      mode: scenario.mode,
      // The error goes either way, and the node reads the clock again in between.
      clockUncertaintyMs: 2 * scenario.clockErrorMs + new StoreClock(storeClock.steps).furthestMs,
      settleMs: hour,
      leaseMs,
      takeoverMs: nodes - apiNodes > 1 ? promisedBounds.takeoverMs : null,
      // On a shared database, a single node must first wait for its own last lease to end.
      restartMs: leaseMs === null ? promisedBounds.restartMs : 2 * leaseMs,
      changeWaitMs: cancelWaitMs,
      retentionMs: scenario.retentionMs,
      isolationMs: isolationMsWith(world.engineBounds),
    },
    expects: {
      schedules: 0,
      cancels: 0,
      reschedules: 0,
      unknowns: 0,
      receipts: 0,
      takeovers: 0,
    },
  };
}

/** Somebody was told everything from the beginning. */
export function toldIn({ messages, events }: Snapshot): ToldEvents {
  const versions = messages.map(({ message }) => [message.messageId, message.version] as const);
  return { logs: events, versions: new Map(versions), readers: [], webhooks: [] };
}

/** Whether something other than faults may have delayed the target's messages. */
function mayWait({ moves }: Scenario, target: SimulatedTarget): boolean {
  const { accountId, targetId, rateLimit, maxConcurrency } = target;
  if (rateLimit !== null || maxConcurrency < 10) return true;
  return moves.some(
    (move) =>
      (move.kind === "account" && move.accountId === accountId) ||
      (move.kind === "target" && move.targetId === targetId) ||
      (move.kind === "mood" && move.targetId === targetId && move.mood.hangs > 0),
  );
}
