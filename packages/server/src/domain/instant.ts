/** Milliseconds since the Unix epoch, UTC. Only the edges use text. */
export type Instant = number;
