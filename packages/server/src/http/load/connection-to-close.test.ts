import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { connectionToClose } from "./connection-to-close.ts";
import { ConnectionsByAddress } from "./connections-by-address.ts";
import { noteUnsent } from "./unsent-answers.ts";

/** A connection with a request whose answer is not complete, or complete and not sent. */
function connectionWith(work: "request" | "unread"): Socket {
  const socket = new Socket();
  const request = new IncomingMessage(socket);
  const response = new ServerResponse(request);
  noteUnsent(request, response);
  if (work === "unread") response.end("unread");
  return socket;
}

function connectionsOf(sockets: Readonly<Record<string, readonly Socket[]>>) {
  const all = new ConnectionsByAddress();
  for (const [address, own] of Object.entries(sockets)) {
    for (const socket of own) all.add(address, socket);
  }
  return all;
}

const many = <Made>(count: number, make: () => Made) => Array.from({ length: count }, make);
const idle = () => new Socket();
const busy = () => connectionWith("request");

test("the address with the most gives one up, unless the other would then have more", () => {
  const [few, most] = [many(3, idle), many(5, idle)];
  const all = connectionsOf({ few, most });
  expect([0, 1, 2, 3].map((held) => connectionToClose(all, held))).toEqual(many(4, () => most[0]));
  expect(connectionToClose(all, 4)).toBeUndefined();
  for (const socket of most.slice(0, 3)) all.remove("most", socket);
  expect([all.most, all.countOf("most")]).toEqual([3, 2]);
  expect(connectionToClose(all, 0)).toBe(few[0]);
  for (const socket of few) all.remove("few", socket);
  for (const socket of most) all.remove("most", socket);
  expect([all.most, connectionToClose(all, 0)]).toEqual([0, undefined]);
});

test("unread answers are given up only by an address that has no unused connection", () => {
  const unread = connectionWith("unread");
  const unused = idle();
  expect(connectionToClose(connectionsOf({ a: [busy(), unread, unused] }), 0)).toBe(unused);
  expect(connectionToClose(connectionsOf({ a: [busy(), unread, busy()] }), 0)).toBe(unread);
});

test("if the address with the most has requests on all of them, the next one gives one up", () => {
  const next = many(3, idle);
  const all = connectionsOf({ next, most: many(5, busy) });
  expect(connectionToClose(all, 0)).toBe(next[0]);
  expect(connectionToClose(all, 2)).toBeUndefined();
});

test("a search looks at a limited number, and the next one goes on from there", () => {
  const unused = idle();
  const all = connectionsOf({ a: [...many(150, busy), unused] });
  const found = many(3, () => connectionToClose(all, 0));
  expect(found).toEqual([undefined, undefined, unused]);
});
