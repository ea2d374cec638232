import type { EventFilter } from "../../domain/events/event-endpoint.ts";
import type { Problem } from "../../domain/refusals.ts";
import { checkLabels } from "../messages/given-options.ts";

/** Undefined keeps a part, null resets it. */
export interface GivenFilter {
  readonly types?: readonly string[] | null | undefined;
  readonly targetIds?: readonly string[] | null | undefined;
  readonly labels?: Readonly<Record<string, string>> | null | undefined;
}

const everything: EventFilter = { types: null, targetIds: null, labels: null };

export function mergeFilter(
  given: GivenFilter,
  problems: Problem[],
  kept: EventFilter = everything,
): EventFilter {
  const { types = kept.types, targetIds = kept.targetIds, labels = kept.labels } = given;
  if (given.labels) checkLabels(given.labels, problems);
  return {
    types: types && [...new Set(types)],
    targetIds: targetIds && [...new Set(targetIds)],
    labels: labels && Object.keys(labels).length > 0 ? labels : null,
  };
}
