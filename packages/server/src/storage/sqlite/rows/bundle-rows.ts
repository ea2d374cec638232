import type { EventBundle } from "../../event-log/bundles.ts";
import { insertInto } from "./rows.ts";
import type { Values, ValuesOf } from "./rows.ts";

const place = ["first_position", "last_position", "log_time"] as const;
const own = [...place, "seed", "events"] as const;
const columns = ["account_key", ...own] as const;

/** Takes `bundleValues`. */
export const insertBundle = insertInto("event_bundles", columns);

export function bundleValues(
  accountKey: number,
  { firstPosition, lastPosition, logTime, seed, events }: EventBundle,
): ValuesOf<typeof columns> {
  return [accountKey, firstPosition, lastPosition, logTime, seed, events];
}

/** Where a bundle stands, without its text, which may be long. `readPlace` reads them as a list. */
export const placeColumns = place.join(", ");

export type BundlePlace = Pick<EventBundle, "firstPosition" | "lastPosition" | "logTime">;

export function readPlace(row: Values): BundlePlace {
  const [firstPosition, lastPosition, logTime] = row as [number, number, number];
  return { firstPosition, lastPosition, logTime };
}

/** `readBundle` reads them as a list. */
export const bundleColumns = own.join(", ");

export function readBundle(row: Values): EventBundle {
  const [firstPosition, lastPosition, logTime, seed, events] = row as [
    ...[number, number, number],
    ...[string, string],
  ];
  return { firstPosition, lastPosition, logTime, seed, events };
}
