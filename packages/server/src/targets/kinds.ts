import type { EventSender } from "./event-sender.ts";
import { joinKinds, type TargetKinds } from "./target-kind.ts";
import type { Clock } from "../platform/clock.ts";
import { mostOpenFiles } from "../platform/open-files.ts";
import type { Timers } from "../platform/timers.ts";
import { createAddressPolicy } from "./network/address-policy.ts";
import { createNetwork } from "./network/network.ts";
import { mostIdleConnections } from "./webhook/idle-connections.ts";
import { createEventSender } from "./webhook/webhook-events.ts";
import { createWebhookPosts } from "./webhook/webhook-posts.ts";
import { createWebhookTarget } from "./webhook/webhook-target.ts";

/** What the kinds need from the server. */
export interface TargetKindOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Private addresses that the operator allows. */
  readonly allowCidrs: readonly string[];
  /** The service's own user agent. */
  readonly userAgent: string;
}

/** The kinds, and who sends events over the connections of the webhooks among them. */
export interface ServerKinds extends TargetKinds {
  readonly eventSender: EventSender;
}

/** The one list of target kinds. A new target has the first kind unless the caller names another. */
export function createTargetKinds({ allowCidrs, ...options }: TargetKindOptions): ServerKinds {
  const network = createNetwork({ ...options, addressPolicy: createAddressPolicy(allowCidrs) });
  const parts = {
    ...options,
    network,
    mostIdleConnections: mostIdleConnections(mostOpenFiles()),
  };
  const posts = createWebhookPosts(parts);
  const kinds = joinKinds(
    createWebhookTarget(posts),
    // Add a line here for each new kind.
  );
  return {
    ...kinds,
    eventSender: createEventSender(posts),
    async close() {
      network.close();
      await kinds.close();
    },
  };
}
