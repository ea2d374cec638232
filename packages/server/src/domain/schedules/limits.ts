/** How long before its time a run is made. */
export const madeAheadMs = 5_000;

/** A run that is made later than this after its time was missed, and `catchUp` decides. */
export const onTimeMs = 10_000;

/** How many schedules an account may have. */
export const mostSchedules = 100_000;

/** How many run times to come may be called off. */
export const mostSkips = 1_000;

/** How many run times of one gap `catchUp: all` makes, the latest. */
export const mostCaughtUp = 1_000;

/**
 * How many run times are on record without a message, the latest: of one gap, of one change, and of a schedule. No quota
 * counts their rows.
 */
export const mostOnRecord = 1_000;

/** So many more may be on record of a schedule, so that not each step has to remove one. */
export const mostBeyondRecord = 200;

/** How many run times `overlap: queue` lets wait, the latest. */
export const mostQueued = 1_000;

/** How many run times one step decides. The next step goes on at once. */
export const mostDecidedAtOnce = 200;

/** After this much time a node looks again at a schedule in a zone that its time-zone data does not know. */
export const unknownZoneLookMs = 30_000;

/** So many outages are remembered while a queue waits, the latest. */
export const mostQueueGaps = 10;
