import { formatDuration } from "../../config/durations.ts";
import type { WireNode } from "../wire.ts";
import { alignedRows, onOneLine } from "./aligned.ts";
import type { Look } from "./messages.ts";
import { timeBeside } from "./relative-time.ts";

export function nodeRows(nodes: readonly WireNode[], { paint, now }: Look): string {
  return alignedRows([
    ["NODE", "ROLE", "SINCE", "HEARTBEAT", "IN FLIGHT"].map((cell) => paint("bold", cell)),
    ...nodes.map((node) => [
      onOneLine(node.nodeId),
      node.role,
      timeBeside(node.joinTime, now),
      `${formatDuration(node.heartbeatAgeMs)} ago`,
      String(node.inFlight),
    ]),
  ]);
}
