/** Hears how this node keeps in touch with the others, for the metrics. */
export interface ClusterObserver {
  /** The lease counts from this instant, by the monotonic clock. Not called for a store of one's own. */
  leaseGranted(askedAt: number): void;
  /** This node has looked for due messages of other nodes. Not called for a store of one's own. */
  lookedAhead(): void;
  trouble(error: unknown, doing: string): void;
}
