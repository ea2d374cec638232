/** Rules that the judge drops one at a time, to find out which promise an unexplained history breaks. */
export interface Leniency {
  /** The message may be gone at the end. */
  readonly mayBeLost?: boolean;
  /** The message may be gone for a while. */
  readonly mayVanish?: boolean;
  readonly mayBeEarly?: boolean;
  /** An attempt may start although the message's `notAfter` has come. */
  readonly mayBeLate?: boolean;
  /** After a failure the message may be retried or given up, whatever the retry policy says. */
  readonly mayMiscount?: boolean;
  /** An answered change may be undone. */
  readonly mayForget?: boolean;
  /** A refused change may have happened. */
  readonly mayDefy?: boolean;
  /** A change that was given up may happen after later changes that were decided. */
  readonly mayComeLate?: boolean;
  /** A change whose answer was lost may have happened twice. */
  readonly mayRepeat?: boolean;
  /** Two scheduled messages may have the same key. */
  readonly mayShare?: boolean;
}
