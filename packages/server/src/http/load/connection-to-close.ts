import type { Socket } from "node:net";
import type { ConnectionsByAddress } from "./connections-by-address.ts";
import { workOn } from "./unsent-answers.ts";

/** A search must stay cheap, because strangers cause it. */
const mostAddresses = 16;
const mostOfAddress = 64;

/**
 * Finds a connection that can make room for one more of an address that has `held`: of the address with the
 * most, the one that was unused for longest. A connection with a request under way is never closed. One with
 * unread answers is closed only if its address has no other.
 */
export function connectionToClose(all: ConnectionsByAddress, held: number): Socket | undefined {
  let looked = 0;
  // With fewer, the two addresses would take the place from each other in turn.
  for (const address of all.addressesWithMoreThan(held + 1)) {
    const found = unusedOf(all, address);
    if (found !== undefined || ++looked === mostAddresses) return found;
  }
  return undefined;
}

function unusedOf(all: ConnectionsByAddress, address: string): Socket | undefined {
  const busy: Socket[] = [];
  let unread: Socket | undefined;
  let idle: Socket | undefined;
  let looked = 0;
  for (const socket of all.socketsOf(address)) {
    const work = workOn(socket);
    if (work === "none") idle = socket;
    else if (work === "unread") unread ??= socket;
    else busy.push(socket);
    if (idle !== undefined || ++looked === mostOfAddress) break;
  }
  // The next search then begins with others.
  for (const socket of busy) all.noteUse(address, socket);
  return idle ?? unread;
}
