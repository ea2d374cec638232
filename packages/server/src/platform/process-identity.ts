import { hostname } from "node:os";
import type { Random } from "./random.ts";

/** Who writes a log line: the node as `GET /v1/nodes` names it, its process and its version. */
export interface ProcessIdentity {
  readonly node: string;
  readonly pid: number;
  readonly version: string;
}

/** The embedded store has only one node, so its name is always the same. */
export const embeddedNode = "embedded";

/**
 * The host is there for people. The rest is there because hosts and process ids repeat, above all in
 * containers.
 */
export function sharedNodeName(processId: number, random: Random): string {
  return `${hostname()}:${processId}:${random.bytes(3).toString("hex")}`;
}
