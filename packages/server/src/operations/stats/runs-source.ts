import { RunCounts } from "../../domain/schedules/forecast/run-counts.ts";
import type { TimeZones } from "../../domain/time-zones/time-zones.ts";
import type { PlacesInTurn } from "../../platform/places-in-turn.ts";
import type { Store } from "../../storage/store.ts";
import type { ForecastSource } from "./forecast-source.ts";
import { lookInSlices } from "./look-in-slices.ts";
import type { SliceOptions } from "./look-in-slices.ts";

export interface RunsSourceOptions extends Omit<SliceOptions, "slicesInTurn"> {
  readonly store: Pick<Store, "walkSchedules">;
  readonly timeZones: TimeZones;
  /** Accounts take turns. Computing is the only thing that the node does meanwhile. */
  readonly runsInTurn: Pick<PlacesInTurn, "run">;
}

/** One account at a time, so that the node has time for others between two slices. */
export const runPlaces = { places: 1 };

/** For so long a node computes before it looks at something else. */
const longestMs = 4;

/** The runs of recurring schedules that are not messages yet. */
export function runsOfSchedules(options: RunsSourceOptions): ForecastSource {
  const { store, clock, timeZones, runsInTurn } = options;
  return {
    field: "runs",
    async count({ accountId, targetId, edges }, { found, isOver }) {
      const counts = new RunCounts(timeZones, edges);
      let computing: Iterator<void> | null = null;
      let reached: string | null = "";

      /** Reads some schedules, or counts those that were read for a moment. */
      async function goOn(): Promise<void> {
        if (computing === null) {
          const slice = await store.walkSchedules({ accountId, targetId, after: reached || null });
          computing = counts.add(slice.schedules);
          reached = slice.reached;
        } else if (computeFor(computing)) {
          computing = null;
        }
      }
      function computeFor(steps: Iterator<void>): boolean {
        const until = clock.monotonic() + longestMs;
        do {
          if (steps.next().done === true) return true;
        } while (clock.monotonic() < until);
        return false;
      }

      const isWhole = await lookInSlices(
        { ...options, slicesInTurn: runsInTurn },
        {
          accountId,
          async read() {
            await goOn();
            return { reached: computing === null ? reached : "" };
          },
          found: (_slice, workedMs) => found(counts.take(), workedMs),
          isOver,
        },
      );
      return isWhole && counts.exact;
    },
  };
}
