/** How much the engine takes on at a time. The simulation uses tiny bounds. */
export interface EngineBounds {
  /** Messages that one claim brings, which are sent in one go. A larger number would delay others. */
  readonly mostAtOnce: number;
  /** Copies that an account may have loading or unused, so that it cannot crowd out the reads of others. */
  readonly mostPreparing: number;
  /** Lanes that get nothing in one pass. Looking at each costs time, so the pass ends after this many. */
  readonly mostPassedOver: number;
  /**
   * Due targets that are taken off the agenda in one go. A larger number would block the event loop for
   * long.
   */
  readonly mostTaken: number;
  /** Copies of targets in the cache. */
  readonly mostCopies: number;
  /**
   * Characters of sealed text in all these copies. The memory that their opened settings take grows with it.
   */
  readonly mostSealedCharacters: number;
  /** Idle lanes that stay in memory because their targets did not answer lately. */
  readonly mostDistrusted: number;
  /** Messages, or targets, that one look ahead reads. */
  readonly mostEntries: number;
}

export const engineBounds: EngineBounds = {
  mostAtOnce: 50,
  mostPreparing: 32,
  mostPassedOver: 64,
  mostTaken: 5_000,
  mostCopies: 10_000,
  mostSealedCharacters: 16 * 1_024 * 1_024,
  mostDistrusted: 10_000,
  mostEntries: 5_000,
};
