import type { WireNode } from "../wire.ts";
import { onOneLine } from "./aligned.ts";
import { durationText } from "./duration-text.ts";
import type { Look } from "./look.ts";
import { timeBeside } from "./relative-time.ts";
import { tableOf } from "./table.ts";

export function nodeRows(nodes: readonly WireNode[], look: Look): string {
  const rows = nodes.map((node) => [
    onOneLine(node.nodeId),
    node.role,
    timeBeside(node.joinTime, look.now),
    node.heartbeatAgeMs === 0 ? "now" : `${durationText(node.heartbeatAgeMs)} ago`,
    String(node.inFlight),
  ]);
  return tableOf({ titles: ["NODE", "ROLE", "SINCE", "HEARTBEAT", "IN FLIGHT"], rows }, look);
}
