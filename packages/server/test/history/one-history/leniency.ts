/** Rules that are left out in turn, to tell which promise a history breaks that cannot be explained. */
export interface Leniency {
  /** It may be gone in the end. */
  readonly mayBeLost?: boolean;
  /** It may be gone for a while. */
  readonly mayVanish?: boolean;
  readonly mayBeEarly?: boolean;
  /** After a failure it may be tried again or given up, whatever the retry policy says. */
  readonly mayMiscount?: boolean;
  /** A change that was answered may come undone. */
  readonly mayForget?: boolean;
  /** A change that was refused may have happened. */
  readonly mayDefy?: boolean;
  /** A change that was given up may happen after others that were decided since. */
  readonly mayComeLate?: boolean;
  /** A change whose answer was lost may have happened twice. */
  readonly mayRepeat?: boolean;
}
