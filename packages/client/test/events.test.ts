import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { ApiError, ConnectionError, Postdate } from "../src/index.ts";
import type { ReadEvent } from "../src/index.ts";
import { answer, refusal, scriptedServers } from "./support/scripted-server.ts";
import type { Script } from "./support/scripted-server.ts";

const serverWith = scriptedServers();

const event = (number: number): object => ({ id: `evt_${number}`, type: "t", data: {} });
const frame = (number: number): string =>
  `id: p${number}\nevent: t\ndata: ${JSON.stringify(event(number))}\n\n`;

/** A stream with this text, which then breaks off, ends, or stays open. */
function stream(text: string, then: "ends" | "breaks" | "stays" = "stays"): Script {
  return async (_, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    await new Promise<void>((resolve) =>
      response.write(`: hello\nretry: 2000\n\n${text}`, () => resolve()),
    );
    if (then === "breaks") response.destroy();
    if (then === "ends") response.end();
  };
}

/** The first so many. */
async function take(events: AsyncIterable<ReadEvent>, count: number): Promise<string[]> {
  const taken: string[] = [];
  for await (const { id, position } of events) {
    taken.push(`${id} at ${position}`);
    if (taken.length === count) break;
  }
  return taken;
}

test("a stream from now asks first where that is, so that nothing falls between", async () => {
  const server = await serverWith(
    answer(200, { events: [], nextPosition: "p0" }),
    stream(frame(1)),
  );
  expect(await take(server.client().events.stream("a"), 1)).toEqual(["evt_1 at p1"]);
  expect(server.received.map(({ path }) => path)).toEqual([
    "/v1/event-endpoints/a/events",
    "/v1/event-endpoints/a/stream?from=p0",
  ]);
});

test.each(["breaks", "ends"] as const)(
  "a stream that %s goes on behind the last event",
  async (then) => {
    const server = await serverWith(
      stream(frame(1) + frame(2), then),
      answer(503, { errors: [{ code: "E-DI-9002", message: "Later." }] }),
      stream(frame(3)),
    );
    const heard: string[] = [];
    const events = server.client().events.stream("a", {
      from: "oldest",
      onOpen: () => heard.push("open"),
      onBreak: () => heard.push("broken"),
    });
    expect(await take(events, 3)).toEqual(["evt_1 at p1", "evt_2 at p2", "evt_3 at p3"]);
    expect(server.received.map(({ path }) => path.split("?")[1])).toEqual([
      "from=oldest",
      "from=p2",
      "from=p2",
    ]);
    expect(heard).toEqual(["open", "broken", "open"]);
  },
);

test("a break is told once, however often connecting again fails, and each failure makes the next wait longer", async () => {
  const waits: number[] = [];
  const random = vi.spyOn(Math, "random").mockReturnValue(0.001);
  const timeout = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => [random, timeout].forEach((spy) => spy.mockRestore()));
  const later = answer(503, { errors: [{ code: "E-DI-9002", message: "Later." }] });
  const server = await serverWith(
    stream(frame(1), "ends"),
    ...Array(6).fill(later),
    stream(frame(2)),
  );
  let breaks = 0;
  const events = server
    .client({ retry: false })
    .events.stream("a", { from: "p0", onBreak: () => breaks++ });
  expect(await take(events, 2)).toEqual(["evt_1 at p1", "evt_2 at p2"]);
  for (const [, ms] of timeout.mock.calls) if (ms !== undefined && ms <= 15) waits.push(ms);
  expect(waits).toEqual([1, 2, 4, 8, 15, 15, 15]);
  expect(breaks).toBe(1);
});

test("a frame may come in any number of pieces", async () => {
  const bytes = Buffer.from(frame(1).replace('"t"', '"📮"'));
  const server = await serverWith(async (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const byte of bytes) {
      await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
    }
  });
  const events = server.client().events.stream("a", { from: "p0" });
  expect((await events.next()).value).toMatchObject({ id: "evt_1", type: "📮", position: "p1" });
  await events.return();
});

test("a stream that was long without an event goes on where the service had looked last", async () => {
  const server = await serverWith(
    stream(`${frame(1)}: id p5\n\n:\n\n: at p900\n\n: proxied\n\n`, "ends"),
    stream(frame(901)),
  );
  const events = server.client().events.stream("a", { from: "p0" });
  expect(await take(events, 2)).toEqual(["evt_1 at p1", "evt_901 at p901"]);
  expect(server.received.map(({ path }) => path.split("?")[1])).toEqual(["from=p0", "from=p900"]);
});

test("a gap is told, and is no event", async () => {
  const server = await serverWith(stream(`event: postdate.gap\ndata: {}\n\n${frame(7)}`));
  let gaps = 0;
  const events = server.client().events.stream("a", { from: "p1", onGap: () => gaps++ });
  expect(await take(events, 1)).toEqual(["evt_7 at p7"]);
  expect(gaps).toBe(1);
});

test("a refusal ends the stream, also when it connects again", async () => {
  const gone = refusal(404, "E-DI-8001");
  const server = await serverWith(gone);
  const { events } = server.client();
  await expect(take(events.stream("a", { from: "p0" }), 1)).rejects.toThrow(ApiError);
  server.answerWith(stream(frame(1), "ends"), gone);
  await expect(take(events.stream("a", { from: "p0" }), 2)).rejects.toMatchObject({
    code: "E-DI-8001",
  });
});

test("a signal ends the stream while it waits for the next event", async () => {
  const server = await serverWith(stream(frame(1)));
  const controller = new AbortController();
  const events = server.client().events.stream("a", { from: "p0", signal: controller.signal });
  expect((await events.next()).value).toMatchObject({ id: "evt_1" });
  const next = events.next();
  controller.abort(new Error("enough"));
  await expect(next).rejects.toThrow("enough");
});

test("whoever leaves the loop ends the connection", async () => {
  const closed = Promise.withResolvers<void>();
  const server = await serverWith((request, response) => {
    response.on("close", () => closed.resolve());
    return stream(frame(1))(request, response);
  });
  expect(await take(server.client().events.stream("a", { from: "p0" }), 1)).toHaveLength(1);
  await closed.promise;
});

test("something that is no stream is not taken for one", async () => {
  const server = await serverWith((_, response) => response.end("<html>Sign in</html>"));
  const events = server.client({ retry: false }).events.stream("a", { from: "p0" });
  await expect(take(events, 1)).rejects.toThrow(/not from Postdate/);
});

test("a rewind leaves events out only where it is told to", async () => {
  const server = await serverWith(answer(200, {}));
  const { events } = server.client();
  const to = "2026-11-14T09:30:00.000Z";
  await events.rewind("a", to);
  await events.rewind("a", new Date(to), { skip: true, timeoutMs: 5_000 });
  expect(server.received.map(({ json }) => json)).toEqual([{ to }, { to, skip: true }]);
});

test("an event that is no JSON ends the stream with an error that says what came", async () => {
  const server = await serverWith(stream(`${frame(1)}id: p2\nevent: t\ndata: <b>Sign in</b>\n\n`));
  const events = server.client().events.stream("a", { from: "p0" });
  await events.next();
  const failure: unknown = await events.next().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConnectionError);
  expect(failure).toMatchObject({ status: 200 });
  expect(String(failure)).toContain('is not from Postdate: "<b>Sign in</b>".');
  expect(server.received).toHaveLength(1);
});

/** A client whose streams have this text, in pieces of so many bytes. */
function reading(text: string, pieceLength: number) {
  const bytes = Buffer.from(text);
  let at = 0;
  const pieces = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return new Promise(() => {});
      controller.enqueue(bytes.subarray(at, (at += pieceLength)));
      return undefined;
    },
  });
  const headers = { "content-type": "text/event-stream" };
  const fetch = async () => new Response(pieces, { headers });
  const postdate = new Postdate({
    url: "http://127.0.0.1:7070",
    key: `pd_${"a".repeat(32)}`,
    fetch,
  });
  return postdate.events.stream("a", { from: "p0" });
}

test.each([1, 2, 3, 5, 1_000])("frames in pieces of %d bytes are the same", async (length) => {
  const text = `: hello\nretry: 2000\n\n${frame(1)}\n${frame(2)}: at p9\n\n${frame(3)}`;
  expect(await take(reading(text, length), 3)).toEqual([
    "evt_1 at p1",
    "evt_2 at p2",
    "evt_3 at p3",
  ]);
});

test("a line without an end is an error, and takes no more time the longer it gets", async () => {
  const events = reading(`data: ${"x".repeat(5_000_000)}`, 100);
  const begun = performance.now();
  await expect(events.next()).rejects.toThrow(/not from Postdate: "data: xxx/);
  // Searching all of it for each of 40,000 pieces took minutes.
  expect(performance.now() - begun).toBeLessThan(20_000);
});
