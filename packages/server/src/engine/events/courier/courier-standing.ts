import type { LogSpan } from "../../../storage/store.ts";
import type { CourierLane } from "./courier-lane.ts";

/** How the webhooks of events stand that a node sends to. */
export interface CourierStanding {
  readonly webhooks: number;
  /** Those whose last request failed. */
  readonly failing: number;
  /** The most events that the log of an account has behind the place of one of them. */
  readonly mostBehind: number;
}

export function standingOf(
  accounts: Iterable<{ readonly lanes: Iterable<CourierLane>; readonly span: LogSpan | undefined }>,
): CourierStanding {
  let webhooks = 0;
  let failing = 0;
  let mostBehind = 0;
  for (const { lanes, span } of accounts) {
    for (const { isFailing, place } of lanes) {
      webhooks++;
      if (isFailing) failing++;
      const left = span === undefined ? 0 : span.last - Math.max(place.position, span.removedUpTo);
      mostBehind = Math.max(mostBehind, left);
    }
  }
  return { webhooks, failing, mostBehind };
}
