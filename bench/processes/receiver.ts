import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { once } from "node:events";
import { answerCalls } from "./answer-calls.ts";

/**
 * The process that receives deliveries, as cheaply as possible. It reads only where a request ends, how
 * its path begins, and the number and due time at the start of its payload. It never answers requests
 * to `/hang/…`, and refuses those to `/refuse/…`.
 */
const headEnd = Buffer.from("\r\n\r\n");
const accepted = Buffer.from("HTTP/1.1 204 No Content\r\n\r\n");
const refused = Buffer.from("HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n");

/** The deliveries to paths with the same beginning, since the last reset. */
interface Group {
  readonly numbers: Set<number>;
  readonly latenessMs: number[];
  repeated: number;
  lastAt: number;
}
let groups = new Map<string, Group>();
let awaited: { readonly group: Group; readonly count: number; reached(): void } | null = null;
/** The difference between the wall clock and the monotonic clock. */
let offsetMs = wallOffsetMs();

const server = createServer({ noDelay: true }, (socket) => {
  let rest: Buffer | undefined;
  socket.on("data", (bytes) => {
    rest = takeRequests(socket, rest === undefined ? bytes : Buffer.concat([rest, bytes]));
  });
  socket.on("error", () => socket.destroy());
});
server.listen(0, "127.0.0.1");
await once(server, "listening");

interface Arrival {
  readonly name: string;
  readonly count: number;
  readonly withinMs: number;
}

const calls = {
  url(): string {
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  forget(): void {
    groups = new Map();
    offsetMs = wallOffsetMs();
  },
  /** Waits until this many different messages of a group have arrived, or the time is over. */
  async arrived({ name, count, withinMs }: Arrival) {
    const group = groupOf(name);
    if (group.numbers.size < count) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        awaited = { group, count, reached: () => (clearTimeout(timer), resolve()) };
      });
      awaited = null;
    }
    const { numbers, repeated, lastAt } = group;
    return { count: numbers.size, repeated, lastAt };
  },
  /** From the due time to the arrival of the whole request. */
  latenessMs({ name }: { readonly name: string }): readonly number[] {
    return groupOf(name).latenessMs;
  },
  /** As `latenessMs`, of the messages that have arrived since the last call of this. */
  newLatenessMs({ name }: { readonly name: string }): readonly number[] {
    return groupOf(name).latenessMs.splice(0);
  },
};
export type ReceiverCalls = typeof calls;
answerCalls(calls);

/** Answers every complete request, and returns the rest that is not complete yet. */
function takeRequests(socket: Socket, bytes: Buffer): Buffer | undefined {
  let from = 0;
  while (from < bytes.length) {
    const end = bytes.indexOf(headEnd, from);
    if (end < 0) break;
    const head = bytes.toString("latin1", from, end);
    const bodyAt = end + headEnd.length;
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (bytes.length < bodyAt + length) break;
    const name = head.slice(6, head.indexOf("/", 6));
    note(groupOf(name), bytes.toString("latin1", bodyAt, bodyAt + 23));
    if (name !== "hang") socket.write(name === "refuse" ? refused : accepted);
    from = bodyAt + length;
  }
  return from === bytes.length ? undefined : from === 0 ? bytes : bytes.subarray(from);
}

function groupOf(name: string): Group {
  let group = groups.get(name);
  if (group === undefined) {
    group = { numbers: new Set(), latenessMs: [], repeated: 0, lastAt: 0 };
    groups.set(name, group);
  }
  return group;
}

function note(group: Group, payloadHead: string): void {
  const now = performance.now() + offsetMs;
  const number = Number(payloadHead.slice(0, 9));
  if (group.numbers.has(number)) {
    group.repeated += 1;
    return;
  }
  group.numbers.add(number);
  group.latenessMs.push(now - Number(payloadHead.slice(10, 23)));
  group.lastAt = now;
  if (awaited?.group === group && group.numbers.size >= awaited.count) awaited.reached();
}

/**
 * The wall clock has whole milliseconds, so it is read at the moment of a change. A delay makes the
 * result too small.
 */
function wallOffsetMs(): number {
  let largest = -Infinity;
  for (let reading = 0; reading < 5; reading++) {
    const before = Date.now();
    let now = before;
    while (now === before) now = Date.now();
    largest = Math.max(largest, now - performance.now());
  }
  return largest;
}
