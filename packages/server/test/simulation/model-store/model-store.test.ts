import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect } from "vitest";
import { systemClock } from "../../../src/platform/clock.ts";
import { systemRandom } from "../../../src/platform/random.ts";
import { systemTimers } from "../../../src/platform/timers.ts";
import { describeEvents } from "../../../src/storage/conformance/events/describe-events.ts";
import type { MakeLocation } from "../../../src/storage/conformance/harness.ts";
import { monthSuite } from "../../../src/storage/conformance/month-suite.ts";
import { describeSchedules } from "../../../src/storage/conformance/schedules/describe-schedules.ts";
import type { MakeClockedLocation } from "../../../src/storage/conformance/schedules/schedule-harness.ts";
import { describeStore } from "../../../src/storage/conformance/store-conformance.ts";
import { createModelDatabase } from "./model-database.ts";
import type { ModelDatabase } from "./model-database.ts";

const system = { clock: systemClock, timers: systemTimers, random: systemRandom };
const places: ModelDatabase[] = [];

afterEach(() => {
  for (const place of places.splice(0)) {
    place.snapshot();
    expect(place.problems).toEqual([]);
  }
});

function placesFor(own: { readonly leaseMs?: null }): MakeLocation {
  return async () => {
    const place = createModelDatabase({ ...system, selfCheck: true });
    places.push(place);
    return {
      open: async (options) => place.open({ nodeId: "node", leaseMs: 10_000, ...options, ...own }),
      async whenWaiting(_store, count) {
        while (place.waiting < count) await nextTurn();
      },
      countAttempts: async () =>
        place.snapshot().messages.flatMap(({ attempts }) => attempts).length,
      remove: async () => {},
    };
  };
}

describeStore("model", placesFor({}), { shared: true });
describeStore("model for one node alone", placesFor({ leaseMs: null }), { shared: false });

function clockedPlacesFor(own: { readonly leaseMs?: null }): MakeClockedLocation {
  return async (time) => {
    let now = time;
    const clock = { now: () => now, monotonic: () => now };
    const place = createModelDatabase({ ...system, clock, selfCheck: true });
    places.push(place);
    return {
      open: async ({ timeZoneVersion = process.versions.tz!, ...options }) =>
        place.open({ nodeId: "node", leaseMs: 10_000, timeZoneVersion, ...options, ...own }),
      setNow: async (to) => void (now = to),
      remove: async () => {},
    };
  };
}

describeEvents("model", clockedPlacesFor({}), { shared: true });
describeEvents("model for one node alone", clockedPlacesFor({ leaseMs: null }), { shared: false });
describeSchedules("model", clockedPlacesFor({}), { shared: true });
describeSchedules("model for one node alone", clockedPlacesFor({ leaseMs: null }), {
  shared: false,
});

describe("model: the end of a month", () =>
  monthSuite(async (time) => {
    let now = time;
    const clock = { now: () => now, monotonic: () => now };
    const place = createModelDatabase({ ...system, clock, selfCheck: true });
    places.push(place);
    const years = 10 * 365 * 86_400_000;
    const store = place.open({
      nodeId: "node",
      leaseMs: 10_000,
      retentionMs: 60_000,
      idempotencyRetentionMs: years,
      auditRetentionMs: years,
    });
    return {
      store,
      setNow: async (to) => void (now = to),
      close: () => store.close(),
    };
  }));
