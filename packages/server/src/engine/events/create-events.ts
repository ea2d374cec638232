import type { RunningPart } from "../../platform/running-parts.ts";
import type { EventStore, Store } from "../../storage/store.ts";
import { Expiry } from "../maintenance/expiry.ts";
import { Courier } from "./courier/courier.ts";
import type { CourierOptions } from "./courier/courier.ts";
import type { CourierStanding } from "./courier/courier-standing.ts";
import { EventFeed } from "./reading/event-feed.ts";
import type { EventFeedOptions } from "./reading/event-feed.ts";
import { EventMover } from "./event-mover.ts";
import type { EventMoverOptions } from "./event-mover.ts";
import { LogWatch } from "./reading/log-watch.ts";
import type { LogWatchOptions } from "./reading/log-watch.ts";

/** How events are sent to webhooks. */
export type EventSending = Pick<CourierOptions, "sender" | "openWebhook" | "writeEvent">;

export interface EventObserver {
  webhooksStand(standing: CourierStanding): void;
  eventsMoved(count: number): void;
  eventsWaited(ms: number | null): void;
  eventsRemoved(count: number): void;
}

export interface EventPartsOptions
  extends
    Omit<CourierOptions, "store" | "logs" | "observer" | keyof EventSending>,
    Pick<EventMoverOptions, "clock"> {
  readonly store: CourierOptions["store"] &
    LogWatchOptions["store"] &
    EventFeedOptions["store"] &
    EventMoverOptions["store"] &
    Pick<EventStore, "removeOldEvents"> &
    Pick<Store, "clock">;
  readonly events: EventSending;
  readonly observer: EventObserver & LogWatchOptions["observer"];
}

/** What operations need of the engine to tell of events. */
export interface Events {
  /** Looks at the logs for those who read. */
  readonly reading: EventFeed;
  /** An event endpoint of the account was created, changed or removed at this node. */
  endpointsChanged(accountId: string): void;
}

export interface EventParts extends Events {
  readonly courier: Courier;
  /** Starts before all that use it, and stops after them. */
  readonly logs: RunningPart;
  /** What a node does that delivers. */
  readonly delivering: readonly RunningPart[];
}

export function createEvents({ events, ...options }: EventPartsOptions): EventParts {
  const logs = new LogWatch(options);
  const reading = new EventFeed({ ...options, logs });
  const courier = new Courier({ ...options, ...events, logs });
  const mover = new EventMover(options);
  const { store, timers, observer } = options;
  const expiry = new Expiry({
    ...{ clock: store.clock, timers, observer },
    doing: "removing old events",
    async remove(limit) {
      const swept = await store.removeOldEvents(limit);
      if (swept.removed > 0) observer.eventsRemoved(swept.removed);
      return swept;
    },
  });
  return {
    reading,
    courier,
    logs,
    delivering: [mover, expiry, courier],
    endpointsChanged(accountId) {
      reading.endpointsChanged(accountId);
      courier.noteEndpoint({ accountId });
    },
  };
}
