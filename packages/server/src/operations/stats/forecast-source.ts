import type { Instant } from "../../domain/message.ts";
import type { Store } from "../../storage/store.ts";
import { lookInSlices } from "./look-in-slices.ts";
import type { SliceOptions } from "./look-in-slices.ts";

/** What a forecast counts by itself: a field of each bucket. */
export type ForecastField = "messages" | "runs";

export interface ForecastRequest {
  readonly accountId: string;
  readonly targetId: string | null;
  /** In ascending order. What is due between two edges counts there, at the first of them too. */
  readonly edges: readonly Instant[];
}

export interface ForecastProgress {
  /** Takes what was found between each pair of edges, and how long that took. */
  readonly found: (counts: readonly number[], workedMs: number) => void;
  readonly isOver: () => boolean;
}

/** Something that will be due. A forecast asks all of its sources, and shows each in a field of its own. */
export interface ForecastSource {
  readonly field: ForecastField;
  /** Answers whether it has found everything. */
  count(request: ForecastRequest, progress: ForecastProgress): Promise<boolean>;
}

export interface PendingSourceOptions extends SliceOptions {
  readonly store: Pick<Store, "countMessages">;
}

/** The messages that are scheduled already. */
export function pendingMessages(options: PendingSourceOptions): ForecastSource {
  const { store } = options;
  return {
    field: "messages",
    count: (request, { found, isOver }) =>
      lookInSlices(options, {
        accountId: request.accountId,
        read: (after) => store.countMessages({ ...request, list: "scheduled", after }),
        found: ({ counts }, workedMs) => found(counts, workedMs),
        isOver,
      }),
  };
}
