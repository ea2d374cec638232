/** A server process on the store. */
export interface Node {
  nodeId: string;
  /** Whether the node answers callers, delivers, or both. */
  role: "all" | "api" | "dispatch";
  joinTime: string;
  /** How long ago the node last showed that it is alive. */
  heartbeatAgeMs: number;
  /** How many messages the node holds for an attempt. */
  inFlight: number;
}

export interface Health {
  status: string;
  version: string;
}

/** Whether this node is ready for requests, and if not, why. */
export interface Readiness {
  ready: boolean;
  reasons: string[];
}
