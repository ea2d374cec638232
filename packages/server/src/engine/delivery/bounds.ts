/** How much of everything the engine takes on at a time. The simulation plays with tiny ones. */
export interface EngineBounds {
  /** What one claim brings is sent in one go: no more than holds up nobody else for long. */
  readonly mostAtOnce: number;
  /** So many copies an account may have on their way or unused: it cannot crowd out the others' reads. */
  readonly mostPreparing: number;
  /** Lanes that are given nothing cost a look each; so many of them are looked at in a turn. */
  readonly mostPassedOver: number;
  /** So many that are due at once are taken off the agenda in one go: no more than blocks for long. */
  readonly mostTaken: number;
  /** Copies of targets that are kept. */
  readonly mostCopies: number;
  /** Lanes with nothing to do that are kept for what was learnt of their targets. */
  readonly mostDistrusted: number;
  /** Messages, or targets, that one look ahead takes in. */
  readonly mostEntries: number;
}

export const engineBounds: EngineBounds = {
  mostAtOnce: 50,
  mostPreparing: 32,
  mostPassedOver: 64,
  mostTaken: 5_000,
  mostCopies: 10_000,
  mostDistrusted: 10_000,
  mostEntries: 5_000,
};
