/** A condition. A membership ends when its node leaves, or when another has seen it silent for its whole lease. */
export const isMemberAlive = (epoch: string): string =>
  `EXISTS (SELECT 1 FROM nodes n WHERE n.epoch = ${epoch})`;

/**
 * A condition, for what may be wrong for a moment. The lease of a dead node is over by the database's clock, which
 * may have been set; and its epoch is among those that this node has seen quiet, if it has looked for long enough.
 */
export const seemsAlive = (row: string, quietEpochs: string): string =>
  `(${row}.lease_until > now_ms() OR ${row}.epoch <> ALL (${quietEpochs}::bigint[]))`;

export const epochsOf = (silences: readonly { readonly epoch: number }[]): number[] =>
  silences.map(({ epoch }) => epoch);
