import { describe, expect, test } from "vitest";
import { apiOf } from "../../support/api.ts";
import { anyInstant, expectRefusal } from "../../support/expectations.ts";
import type { ScriptedService } from "../../support/shared-service.ts";
import { listenersAre, readingService } from "./readers.ts";

const encoded = (text: string): string => Buffer.from(text).toString("base64url");

/** What a stream of events is, on one store. The service has no other readers. */
export function streamsSuite(given: ScriptedService): void {
  const service = readingService(given);

  test("begins now, and tells each event as a CloudEvent with its position and type", async () => {
    await service.happen();
    await service.read("?from=oldest&waitMs=30000");
    const stream = await service.stream();
    expect(stream.status).toBe(200);
    expect(Object.fromEntries(stream.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    });
    expect(await stream.next()).toEqual({ retry: "2000" });
    const number = await service.happen();
    const frame = await stream.next();
    expect(frame).toEqual({
      id: expect.stringMatching(/^[\w-]+$/),
      event: "postdate.target.updated.v1",
      data: expect.stringMatching(/^\{.*\}$/),
    });
    expect(JSON.parse(frame!.data!)).toEqual({
      specversion: "1.0",
      id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      source: expect.stringMatching(/^\/accounts\/\w+$/),
      type: "postdate.target.updated.v1",
      subject: expect.stringMatching(/^targets\//),
      time: anyInstant,
      datacontenttype: "application/json",
      data: { target: expect.objectContaining({ maxConcurrency: number, kind: "webhook" }) },
    });
  });

  test("resumes after Last-Event-ID, which goes before `from`", async () => {
    const numbers = [await service.happen(), await service.happen(), await service.happen()];
    const first = await service.stream({ query: "?from=oldest" });
    const events = await first.events(3);
    expect(service.numbersIn(events)).toEqual(numbers);
    for (const [index, { position }] of events.slice(0, 2).entries()) {
      const later = numbers.slice(index + 1);
      for (const options of [
        { lastEventId: position },
        { lastEventId: position, query: "?from=oldest" },
        { query: `?from=${position}` },
      ]) {
        const resumed = await service.stream(options);
        expect(service.numbersIn(await resumed.events(later.length))).toEqual(later);
        await resumed.close();
      }
    }
  });

  test("tells all readers the same, in the same order", async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => service.stream()));
    const numbers: number[] = [];
    for (let count = 0; count < 5; count++) numbers.push(await service.happen());
    const told = await Promise.all(streams.map((stream) => stream.events(5)));
    for (const events of told) expect(events).toEqual(told[0]);
    expect(service.numbersIn(told[0]!)).toEqual(numbers);
  });

  test("of a position beyond the end tells of a gap, and goes on from the oldest", async () => {
    const number = await service.happen();
    const stream = await service.stream({ lastEventId: encoded("1:999999999") });
    expect(await stream.next()).toEqual({ retry: "2000" });
    expect(await stream.next()).toEqual({
      event: "postdate.gap",
      data: expect.stringMatching(/^\{"position":"[\w-]+"\}$/),
    });
    expect(service.numbersIn(await stream.events(1))).toEqual([number]);
  });

  test("refuses what is no position", async () => {
    const path = `/v1/event-endpoints/${service.endpointId}/stream`;
    const problem = { code: "E-DI-1001" };
    expectRefusal(await service.api("GET", `${path}?from=x`), 400, { ...problem, field: "from" });
    const headers = { "last-event-id": "oldest" };
    expectRefusal(await service.api("GET", path, { headers }), 400, {
      ...{ ...problem, field: "Last-Event-ID" },
    });
    expectRefusal(await service.api("GET", `${path}?after=x`), 400, { ...problem, field: "after" });
    const missing = await service.api("GET", "/v1/event-endpoints/nobody/stream");
    expectRefusal(missing, 404, { code: "E-DI-8001" });
    expect((await service.api("HEAD", path)).status).toBe(405);
  });

  describe("ends", () => {
    test("when its key is revoked", async () => {
      const body = { name: "reader", scopes: ["scheduler.all.read"] };
      const { key, keyId } = await service.ok("POST", "/v1/keys", { body });
      const stream = await service.stream({ key });
      await service.happen();
      await stream.events(1);
      await service.ok("DELETE", `/v1/keys/${keyId}`);
      await service.happen();
      // What happens after the answer is told to nobody who showed that key.
      expect(await stream.next()).toBeUndefined();
      expect(await stream.ended).toBe(true);
    });

    test("when its endpoint is removed, also if another has its id then", async () => {
      const stream = await service.stream();
      await service.happen();
      await stream.events(1);
      const path = `/v1/event-endpoints/${service.endpointId}`;
      await service.ok("DELETE", path);
      const body = { endpointId: service.endpointId, kind: "stream" };
      expect((await service.api("POST", "/v1/event-endpoints", { body })).status).toBe(201);
      expect(await stream.ended).toBe(true);
    });

    test("and gives its place back at once when the caller hangs up", async () => {
      await listenersAre(service, 0);
      const streams = await Promise.all([service.stream(), service.stream()]);
      const wait = service.read("?waitMs=30000");
      await listenersAre(service, 3);
      for (const stream of streams) await stream.close();
      await listenersAre(service, 1);
      await service.happen();
      expect((await wait).events).toHaveLength(1);
      await listenersAre(service, 0);
    });
  });

  test("a change of the filter holds for streams that are open", async () => {
    const stream = await service.stream();
    const path = `/v1/event-endpoints/${service.endpointId}`;
    await service.ok("PATCH", path, { body: { types: ["target.paused"] } });
    await service.happen();
    const { targetIds } = await service.ok("GET", path);
    await service.ok("POST", `/v1/targets/${targetIds[0]}/pause`);
    const [event] = await stream.events(1);
    expect(event!["type"]).toBe("postdate.target.paused.v1");
  });

  test("an account has at most 100 at once, and others have theirs", async () => {
    const streams = await Promise.all(Array.from({ length: 100 }, () => service.stream()));
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    const path = `/v1/event-endpoints/${service.endpointId}`;
    for (const asked of [`${path}/stream`, `${path}/events?waitMs=1000`]) {
      const refused = await service.api("GET", asked);
      expectRefusal(refused, 429, { code: "E-DI-2003" });
      expect(refused.headers.get("retry-after")).toBe("5");
    }
    // Whoever does not wait needs no place, and requests of any other kind have theirs.
    expect((await service.read()).events).toEqual([]);
    const number = await service.happen();
    for (const stream of streams.slice(0, 3)) {
      expect(service.numbersIn(await stream.events(1))).toEqual([number]);
    }
    await streams[0]!.close();
    await listenersAre(service, 99);
    expect((await service.stream()).status).toBe(200);
  });

  test("an unknown credential opens none", async () => {
    const api = apiOf(service.url, "pd_nobody");
    const answer = await api("GET", `/v1/event-endpoints/${service.endpointId}/stream`);
    expectRefusal(answer, 401, { code: "E-DI-2001" });
  });
}
