import type { EventEndpoint } from "@postdate/client";
import { inertText } from "../../presentation/inert-text.ts";
import { eventTypes, leftOutTypes, typesOf } from "./event-types.ts";

type Filter = Pick<EventEndpoint, "types" | "targetIds" | "labels">;

const namedAtMost = 5;

/** What an endpoint gets, in words: `message.* and job.ended of the targets billing and mail`. */
export function filterWords({ types, targetIds, labels }: Filter): string {
  const parts = [typeWords(types)];
  if (targetIds !== null) {
    parts.push(`of the target${targetIds.length === 1 ? "" : "s"} ${listed(targetIds)}`);
  }
  if (labels !== null) {
    const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
    parts.push(`of messages with the label${pairs.length === 1 ? "" : "s"} ${listed(pairs)}`);
  }
  return inertText(parts.join(" "));
}

function typeWords(types: Filter["types"]): string {
  if (types === null) return `all types but ${listed(leftOutTypes)}`;
  return typesOf(types).length === eventTypes.length ? "all types" : listed(types);
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, namedAtMost);
  const more = names.length - shown.length;
  if (more > 0) return `${shown.join(", ")} and ${more.toLocaleString("en")} more`;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** The endpoint that shows most of what happens: of all messages and targets if there is one, and then of most types. */
export function widest<Endpoint extends Filter>(
  endpoints: readonly Endpoint[],
): Endpoint | undefined {
  const wider = (one: Filter, other: Filter): number =>
    conditionsOf(one) - conditionsOf(other) ||
    typesOf(other.types).length - typesOf(one.types).length ||
    (other.targetIds?.length ?? 0) - (one.targetIds?.length ?? 0);
  return endpoints.toSorted(wider)[0];
}

function conditionsOf({ targetIds, labels }: Filter): number {
  return Number(targetIds !== null) + Number(labels !== null);
}
