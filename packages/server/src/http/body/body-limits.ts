/** In bytes. The longest legal payload must fit, even if every character is escaped into 12 bytes. */
export interface BodyLimits {
  /** For operations that take a few short fields. */
  readonly small: number;
  readonly single: number;
  readonly batch: number;
}

export const defaultBodyLimits: BodyLimits = {
  small: 16_384,
  single: 1_048_576,
  batch: 16 * 1_048_576,
};

/** How many bytes of bodies may be under way at once. */
export const defaultBodyBudgetBytes = 256 * 1_048_576;
