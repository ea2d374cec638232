import { expect, test } from "vitest";
import { expectRefusal } from "../../support/expectations.ts";
import type { ScriptedService } from "../../support/shared-service.ts";
import { listenersAre, readingService } from "./readers.ts";

const encoded = (text: string): string => Buffer.from(text).toString("base64url");

/** Reading events by calls, on one store. The service has no other readers. */
export function longPollsSuite(given: ScriptedService): void {
  const service = readingService(given);

  test("begins now, and reads on after what it was told", async () => {
    await service.happen();
    await service.read("?from=oldest&waitMs=30000");
    const { events, nextPosition } = await service.read();
    expect(events).toEqual([]);
    const number = await service.happen();
    const next = await service.read(`?after=${nextPosition}&waitMs=30000`);
    expect(service.numbersIn(next.events)).toEqual([number]);
    expect(next.events[0]!.position).toBe(next.nextPosition);
    const last = await service.read(`?after=${next.nextPosition}`);
    expect(last).toEqual({ events: [], nextPosition: next.nextPosition });
  });

  test("reads from the oldest in pages, each event once", async () => {
    const numbers: number[] = [];
    for (let count = 0; count < 7; count++) numbers.push(await service.happen());
    await (await service.stream({ query: "?from=oldest" })).events(7);
    const read: number[] = [];
    let from = "oldest";
    for (const expected of [3, 3, 1, 0]) {
      const { events, nextPosition } = await service.read(`?from=${from}&limit=3`);
      expect(events).toHaveLength(expected);
      read.push(...service.numbersIn(events));
      from = nextPosition;
    }
    expect(read).toEqual(numbers);
  });

  test("a call that waits is answered when something happens", async () => {
    const waiting = Promise.all([
      service.read("?waitMs=30000"),
      service.read("?waitMs=30000&limit=1"),
    ]);
    await listenersAre(service, 2);
    const number = await service.happen();
    for (const { events } of await waiting) expect(service.numbersIn(events)).toEqual([number]);
    await listenersAre(service, 0);
  });

  test("a call that waits in vain is answered with nothing", async () => {
    const { nextPosition } = await service.read();
    const begun = performance.now();
    const { events } = await service.read(`?after=${nextPosition}&waitMs=700`);
    expect(events).toEqual([]);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(690);
  });

  test("what is not for the endpoint does not end the wait", async () => {
    const other = await service.target();
    const body = { kind: "stream", targetIds: [other.targetId] };
    const made = await service.api("POST", "/v1/event-endpoints", { body });
    const waiting = service.read("?waitMs=30000");
    await listenersAre(service, 1);
    await service.ok("POST", `/v1/targets/${other.targetId}/pause`);
    const own = `/v1/event-endpoints/${made.body.endpointId}`;
    const told = await service.ok("GET", `${own}/events?from=oldest&waitMs=30000`);
    expect(told.events).toHaveLength(1);
    const number = await service.happen();
    expect(service.numbersIn((await waiting).events)).toEqual([number]);
    await service.ok("DELETE", own);
  });

  test("a position that is not in the log is refused", async () => {
    await service.happen();
    const path = `/v1/event-endpoints/${service.endpointId}/events`;
    for (const name of ["after", "from"]) {
      const beyond = await service.api("GET", `${path}?${name}=${encoded("1:999999999")}`);
      expectRefusal(beyond, 410, { code: "E-DI-8002" });
      const wrong = await service.api("GET", `${path}?${name}=x`);
      expectRefusal(wrong, 400, { code: "E-DI-1001", field: name });
    }
    const both = await service.api("GET", `${path}?after=${encoded("1:0")}&from=oldest`);
    expectRefusal(both, 400, { code: "E-DI-1001", field: "from" });
    const after = await service.api("GET", `${path}?after=oldest&limit=0&waitMs=30001`);
    expectRefusal(
      after,
      400,
      ...["after", "limit", "waitMs"].map((field) => ({ code: "E-DI-1001", field })),
    );
    const oldest = await service.api("GET", `${path}?after=oldest`);
    expect(oldest.body.errors[0].message).toMatch(/, send from=oldest in place of after\.$/);
  });

  test("a call whose key is revoked while it waits is not told what happens then", async () => {
    const body = { name: "reader", scopes: ["scheduler.all.read"] };
    const { key, keyId } = await service.ok("POST", "/v1/keys", { body });
    const path = `/v1/event-endpoints/${service.endpointId}/events?waitMs=30000`;
    const waiting = service.api("GET", path, { key });
    await listenersAre(service, 1);
    await service.ok("DELETE", `/v1/keys/${keyId}`);
    await service.happen();
    expectRefusal(await waiting, 401, { code: "E-DI-2001" });
  });

  test("a call whose key is revoked gives its place back soon, also if nothing happens", async () => {
    const body = { name: "reader", scopes: ["scheduler.all.read"] };
    const { key, keyId } = await service.ok("POST", "/v1/keys", { body });
    const path = `/v1/event-endpoints/${service.endpointId}/events?waitMs=30000`;
    const waiting = service.api("GET", path, { key });
    await listenersAre(service, 1);
    await service.ok("DELETE", `/v1/keys/${keyId}`);
    const revoked = performance.now();
    expectRefusal(await waiting, 401, { code: "E-DI-2001" });
    expect(performance.now() - revoked).toBeLessThan(15_000);
    await listenersAre(service, 0);
  });

  test("a call whose endpoint is removed while it waits is refused", async () => {
    const waiting = service.api(
      "GET",
      `/v1/event-endpoints/${service.endpointId}/events?waitMs=30000`,
    );
    await listenersAre(service, 1);
    await service.ok("DELETE", `/v1/event-endpoints/${service.endpointId}`);
    expectRefusal(await waiting, 404, { code: "E-DI-8001" });
  });
}
