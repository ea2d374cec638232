import { joinKinds, type TargetKinds } from "./target-kind.ts";
import type { Clock } from "../platform/clock.ts";
import type { Timers } from "../platform/timers.ts";
import { createAddressPolicy } from "./network/address-policy.ts";
import { createNetwork } from "./network/network.ts";
import { createWebhookTarget } from "./webhook/webhook-target.ts";

/** What the kinds need of the server. */
export interface TargetKindOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Private addresses that the operator allows. */
  readonly allowCidrs: readonly string[];
  /** How the service calls itself. */
  readonly userAgent: string;
}

/** The one list of target kinds. The first is the kind of a target whose kind is not given. */
export function createTargetKinds({ allowCidrs, ...options }: TargetKindOptions): TargetKinds {
  const network = createNetwork({ ...options, addressPolicy: createAddressPolicy(allowCidrs) });
  const parts = { ...options, network };
  const kinds = joinKinds(
    createWebhookTarget(parts),
    // A further kind is one more line here.
  );
  return {
    ...kinds,
    async close() {
      network.close();
      await kinds.close();
    },
  };
}
