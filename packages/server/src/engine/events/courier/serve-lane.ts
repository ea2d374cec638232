import { endOf } from "../../../domain/events/event-endpoint.ts";
import { batchOutcome } from "../../../domain/events/webhook-outcome.ts";
import type { BatchOutcome, EventEndpoint } from "../../../domain/events/event-endpoint.ts";
import type { LoggedEvent } from "../../../domain/events/event.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Random } from "../../../platform/random.ts";
import { pause } from "../../../platform/timers.ts";
import type { Timers } from "../../../platform/timers.ts";
import type { EventStore, Holder, Store } from "../../../storage/store.ts";
import type { EventSender } from "../../../targets/event-sender.ts";
import type { OpenWebhook } from "../../../targets/sealed-endpoint.ts";
import { pauseAfterFailures } from "../../../platform/pause-after-failures.ts";
import type { LogWatch } from "../reading/log-watch.ts";
import type { CourierLane } from "./courier-lane.ts";
import { nextBatch } from "./next-batch.ts";
import type { EventBatch, NextBatchOptions } from "./next-batch.ts";

export interface ServeLaneOptions {
  readonly store: Pick<EventStore, "recordBatch"> & Pick<Store, "clock">;
  readonly readEvents: NextBatchOptions["readEvents"];
  readonly logs: Pick<LogWatch, "ask">;
  /** Asked again after the look at the log: a caller may have paused the endpoint meanwhile. */
  readonly mayStillSend: () => boolean;
  readonly sender: Pick<EventSender, "send">;
  /** The settings and secrets of a webhook, opened. */
  readonly openWebhook: (endpoint: EventEndpoint) => OpenWebhook;
  /** The event as it is sent: a CloudEvent in JSON. */
  readonly writeEvent: (event: LoggedEvent) => string;
  readonly membership: { readonly holder: Holder | undefined };
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly random: Pick<Random, "fraction">;
  readonly observer: { trouble(error: unknown, doing: string): void };
}

/** How long to leave an endpoint alone that a caller changes. */
const busyMs = 100;

export interface ServeSignals {
  /** The server stops: what is under way is given up, and the next node makes the same request again. */
  readonly stopping: AbortSignal;
  /** The membership is over, and another node may send. */
  readonly lost: AbortSignal;
  /** Either of them. */
  readonly ending: AbortSignal;
}

/**
 * One turn of a lane: looks for the next batch, sends it, and records what came of it. Undefined: the lane goes on.
 * `dropped`: this node has nothing to do with the endpoint any more, or must ask the store about it. `set back`: the store has
 * been set back to an earlier state, and knows better than the lane how far the endpoint is.
 */
export async function serveLane(
  options: ServeLaneOptions,
  lane: CourierLane,
  signals: ServeSignals,
): Promise<"dropped" | "set back" | undefined> {
  const { readEvents, writeEvent, membership, clock, logs } = options;
  const look = logs.ask();
  const next = await nextBatch({
    endpoint: lane.endpoint,
    after: lane.place,
    readEvents,
    writeEvent,
  });
  // The node fences itself before it sends: another node may hold the endpoint by now.
  if (membership.holder !== lane.holder || signals.ending.aborted) return "dropped";
  if (next.kind === "outdated") return "dropped";
  if (next.kind === "set back") return "set back";
  if (!options.mayStillSend()) return undefined;
  if (next.kind === "batch") return sendBatch(options, lane, signals, next.batch, look);
  lane.reach(next.place, look);
  if (!lane.isRecordDue(clock.monotonic())) return undefined;
  const skipped = { ...next.place, kind: "delivered", sent: false } as const;
  return record(options, lane, signals, skipped, look);
}

async function sendBatch(
  options: ServeLaneOptions,
  lane: CourierLane,
  signals: ServeSignals,
  batch: EventBatch,
  look: number,
): Promise<"dropped" | undefined> {
  const { store, sender, openWebhook, random } = options;
  const { endpoint } = lane;
  const failures = endpoint.progress?.failures ?? 0;
  const report = await sender.send({
    accountId: endpoint.accountId,
    endpointId: endpoint.endpointId,
    ...lane.open(openWebhook),
    postId: batch.postId,
    contentType: batch.contentType,
    body: batch.body,
    attemptNumber: failures + 1,
    startTime: store.clock.now(),
    signal: signals.ending,
  });
  if (signals.lost.aborted) return "dropped";
  const outcome = batchOutcome(report, { ...batch, failures }, random.fraction());
  // Our own stop says nothing about the receiver.
  const isOurs = outcome.kind === "failed" && signals.stopping.aborted;
  return record(options, lane, signals, isOurs ? { ...outcome, delayMs: 0 } : outcome, look);
}

/** Tries until the store has taken it, because the next request depends on it. */
async function record(
  { store, membership, clock, timers, observer }: ServeLaneOptions,
  lane: CourierLane,
  { ending }: ServeSignals,
  outcome: BatchOutcome,
  look: number,
): Promise<"dropped" | undefined> {
  const { endpoint, holder } = lane;
  const { accountId, endpointId, progress } = endpoint;
  for (let failures = 0; ;) {
    let restMs = busyMs;
    try {
      const ref = { accountId, endpointId };
      const recorded = await store.recordBatch(holder, ref, progress?.round ?? 1, outcome);
      if (recorded === "stale") return "dropped";
      if (recorded !== "busy") {
        lane.learn(recorded, clock.monotonic());
        if (outcome.kind === "delivered") lane.reach(endOf(outcome), look);
        if (outcome.kind === "failed") lane.rest(outcome.delayMs, clock.monotonic());
        return undefined;
      }
    } catch (error) {
      if (failures === 0) observer.trouble(error, "recording what a webhook of events answered");
      restMs = pauseAfterFailures(++failures);
    }
    if (ending.aborted) return "dropped";
    await pause(timers, restMs, ending);
    if (membership.holder !== holder) return "dropped";
  }
}
