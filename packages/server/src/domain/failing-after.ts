/** When a target counts as failing, which the event `target.failing` tells. */
export interface FailingAfter {
  /** So many attempts in a row must have failed, */
  readonly attempts: number;
  /** and the first of them must be this long ago. */
  readonly ms: number;
}

export const defaultFailingAfter: FailingAfter = { attempts: 10, ms: 60_000 };
