import type { Encryption } from "@postdate/client";
import { onOneLine } from "../terminal/aligned.ts";
import { cardOf } from "../terminal/card.ts";
import type { Look } from "../terminal/look.ts";
import { counted } from "../terminal/progress.ts";
import { timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";

export function encryptionText(encryption: Encryption, look: Look): string {
  const { keys, exact, keyId } = encryption;
  const rows = keys.map((key) => [
    onOneLine(key.keyId),
    `${exact ? "" : "at least "}${counted(key.values)}`,
    key.inUse ? "yes" : "no",
    key.keyId === keyId ? "yes" : "no",
  ]);
  const table = tableOf({ titles: ["KEY", "VALUES", "NEEDED", "SEALS"], rows }, look);
  const others = encryption.nodes.filter((node) => node.keyId !== keyId);
  const facts = [...rotationFacts(encryption, look)];
  if (others.length > 0) {
    facts.push(["Seal with another key", others.map(({ nodeId }) => onOneLine(nodeId)).join(", ")]);
  }
  return facts.length === 0 ? table : `${table}\n${cardOf(facts, look)}`;
}

function rotationFacts({ rotation }: Encryption, look: Look): (readonly [string, string])[] {
  if (rotation === null) return [];
  const { state, startTime, endTime, rewritten, unreadable } = rotation;
  const facts: (readonly [string, string])[] = [
    ["Exchange", `${state === "DONE" ? "done" : "under way"}, to ${onOneLine(rotation.keyId)}`],
    ["Began", cellText(timeCell(startTime, look.now))],
    ["Sealed anew", counted(rewritten)],
  ];
  if (endTime !== null) facts.push(["Ended", cellText(timeCell(endTime, look.now))]);
  if (unreadable > 0) facts.push(["No key opens", counted(unreadable)]);
  return facts;
}

function cellText(cell: string | readonly [string, ...string[]]): string {
  return typeof cell === "string" ? cell : cell[0];
}
