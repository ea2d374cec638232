import { hostname } from "node:os";
import type { Random } from "./random.ts";

/** Who writes a line of the log: the node as `GET /v1/nodes` names it, its process and its version. */
export interface ProcessIdentity {
  readonly node: string;
  readonly pid: number;
  readonly version: string;
}

/** The embedded store has one node, so its name is always the same. */
export const embeddedNode = "embedded";

/** The host for whoever reads it; the rest because hosts and process ids repeat, in containers above all. */
export function sharedNodeName(processId: number, random: Random): string {
  return `${hostname()}:${processId}:${random.bytes(3).toString("hex")}`;
}
