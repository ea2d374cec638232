import type { Node } from "@postdate/client";
import { onOneLine } from "../terminal/aligned.ts";
import { durationText } from "../terminal/duration-text.ts";
import type { Look } from "../terminal/look.ts";
import { timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";

export function nodeRows(nodes: readonly Node[], look: Look): string {
  const rows = nodes.map((node) => [
    onOneLine(node.nodeId),
    node.role,
    timeCell(node.joinTime, look.now),
    node.heartbeatAgeMs === 0 ? "now" : `${durationText(node.heartbeatAgeMs)} ago`,
    String(node.inFlight),
  ]);
  return tableOf({ titles: ["NODE", "ROLE", "SINCE", "HEARTBEAT", "IN FLIGHT"], rows }, look);
}
