import { expect, test } from "vitest";
import { createdEndpoint } from "../../domain/events/event-endpoint.ts";
import type { LoggedEvent } from "../../domain/events/event.ts";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import type { EventPageRequest } from "../../storage/store.ts";
import { leftOutEvents, mostCounted } from "./left-out-events.ts";

const event = (position: number): LoggedEvent => ({
  ...{ accountId: "acc", eventId: `evt_${position}`, position, time: 0, targetId: null },
  type: position % 2 === 0 ? "target.created" : "job.started",
  data: {},
});

/** A log with so many events, of which the first are gone. */
function logOf(last: number, removedUpTo = 0) {
  const reads: number[] = [];
  return {
    reads,
    readEvents: async (_: string, { after, limit }: EventPageRequest) => {
      const begin = Math.max(after, removedUpTo);
      const count = Math.max(0, Math.min(limit, last - begin));
      reads.push(count);
      const events = Array.from({ length: count }, (__, nth) => event(begin + nth + 1));
      return { removedUpTo, last, events, mark: null };
    },
  };
}

function endpointWanting(types: readonly string[] | null) {
  const settings = { sealedSettings: null, sealedSecrets: null, maxBatch: 1 };
  const filter = { types, targetIds: null, labels: null };
  return createdEndpoint(
    { accountId: "acc", endpointId: "e", kind: "webhook", filter, ...settings },
    10,
    0,
  );
}

test.each([
  { until: 5, removedUpTo: 0, expected: { wanted: 0, unseen: 0 } },
  { until: 10, removedUpTo: 0, expected: { wanted: 0, unseen: 0 } },
  { until: 1_010, removedUpTo: 0, expected: { wanted: 500, unseen: 0 } },
  { until: 1_010, removedUpTo: 910, expected: { wanted: 50, unseen: 0 } },
  { until: 1_010, removedUpTo: 2_000, expected: { wanted: 0, unseen: 0 } },
  { until: 50_010, removedUpTo: 0, expected: { wanted: 5_000, unseen: 40_000 } },
])("up to $until of a log without its first $removedUpTo", async (look) => {
  const store = logOf(60_000, look.removedUpTo);
  const options = { store, eventReadsInTurn: new PlacesInTurn({ places: 1 }) };
  const endpoint = endpointWanting(["target.*"]);
  expect(await leftOutEvents(options, endpoint, look.until)).toEqual(look.expected);
  expect(Math.max(0, ...store.reads)).toBeLessThanOrEqual(200);
  expect(store.reads.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(mostCounted);
});
