import { onTestFinished } from "vitest";
import { Courier } from "../../../src/engine/events/courier/courier.ts";
import type { CourierOptions } from "../../../src/engine/events/courier/courier.ts";
import { EventMover } from "../../../src/engine/events/event-mover.ts";
import { LogWatch } from "../../../src/engine/events/reading/log-watch.ts";
import { writeEvent } from "../../../src/http/wire/wire-events.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { systemRandom } from "../../../src/platform/random.ts";
import { systemTimers } from "../../../src/platform/timers.ts";
import type { Holder, Store } from "../../../src/storage/store.ts";
import { createTargetKinds } from "../../../src/targets/kinds.ts";
import { openWebhook } from "../../../src/targets/sealed-endpoint.ts";
import { secretBox } from "./event-world.ts";

export interface CourierNode {
  readonly courier: Courier;
  readonly membership: { holder: Holder | undefined };
  readonly troubles: readonly unknown[];
  stop(): Promise<void>;
}

export interface NodeOptions extends Partial<Pick<CourierOptions, "places" | "drainTimeoutMs">> {
  readonly allowCidrs?: readonly string[];
}

/** A courier as a node runs it, on a real store and over real connections. It stops with the test. */
export async function startCourier(
  store: Store,
  { allowCidrs = ["127.0.0.0/8"], ...change }: NodeOptions = {},
): Promise<CourierNode> {
  const troubles: unknown[] = [];
  const [clock, timers] = [systemClock, systemTimers];
  const kinds = createTargetKinds({ clock, timers, allowCidrs, userAgent: "Postdate/test" });
  const observer = {
    trouble: (error: unknown) => void troubles.push(error),
    eventsMoved: () => {},
    eventsWaited: () => {},
  };
  const logs = new LogWatch({ store, timers, observer });
  const mover = new EventMover({ store, clock, timers, observer });
  const membership: { holder: Holder | undefined } = { holder: await store.join("node", "all") };
  const courier = new Courier({
    store,
    logs,
    sender: kinds.eventSender,
    openWebhook: (endpoint) => openWebhook(secretBox, endpoint)!,
    writeEvent,
    membership,
    clock,
    timers,
    random: systemRandom,
    observer,
    drainTimeoutMs: 0,
    ...change,
  });
  await mover.start();
  await courier.start();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= end());
  async function end(): Promise<void> {
    await courier.stop();
    await logs.stop();
    await mover.stop();
    await kinds.close();
    if (membership.holder !== undefined) await store.leave(membership.holder);
  }
  onTestFinished(stop);
  return { courier, membership, troubles, stop };
}
