import { describe, expect, test } from "vitest";
import { testDatabases } from "../../../src/storage/postgres/testing/test-databases.ts";
import type { Api } from "../../support/api.ts";
import { startCluster } from "../../support/cluster.ts";
import { openStream } from "../../support/event-stream.ts";
import { addTarget, services } from "../../support/service.ts";

const subscribe = async (api: Api): Promise<void> => {
  const body = { endpointId: "e", kind: "stream", types: ["target.updated"] };
  expect((await api("POST", "/v1/event-endpoints", { body })).status).toBe(201);
};

const happen = async (api: Api, numbers: readonly number[]): Promise<void> => {
  for (const maxConcurrency of numbers) {
    const answer = await api("PATCH", "/v1/targets/t", { body: { maxConcurrency } });
    expect(answer.status, answer.text).toBe(200);
  }
};

const told = async (url: string, lastEventId: string | undefined, count: number) => {
  const query = lastEventId === undefined ? "?from=oldest" : "";
  await using stream = await openStream(url, "e", {
    query,
    ...(lastEventId !== undefined && { lastEventId }),
  });
  const events = await stream.events(count);
  return {
    numbers: events.map(({ data }) => data.target.maxConcurrency as number),
    last: events.at(-1)!.position,
  };
};

describe("on the embedded store", () => {
  const start = services();

  test("a stream ends at once and cleanly when the server stops, and goes on after a restart", async () => {
    const service = await start();
    await addTarget(service);
    await subscribe(service.api);
    await happen(service.api, [1, 2, 3]);
    const open = await openStream(service.server.url, "e");
    const { last } = await told(service.server.url, undefined, 2);
    const stopped = service.server.stop();
    expect(await open.ended).toBe(true);
    expect(await stopped).toBe(0);
    await open.close();
    const again = await service.restart();
    await happen(again.api, [4]);
    expect((await told(again.server.url, last, 2)).numbers).toEqual([3, 4]);
  });

  test("a stream goes on after a kill", async () => {
    const service = await start();
    await addTarget(service);
    await subscribe(service.api);
    await happen(service.api, [1, 2]);
    const { last } = await told(service.server.url, undefined, 1);
    await service.server.kill();
    const again = await service.restart();
    await happen(again.api, [3]);
    expect((await told(again.server.url, last, 2)).numbers).toEqual([2, 3]);
  });
});

describe("on PostgreSQL", () => {
  const makeDatabase = testDatabases();

  test("a change of the filter holds for a stream at another node once it is answered", async () => {
    await using cluster = await startCluster((await makeDatabase()).url, 2);
    const [one, two] = cluster.nodes;
    await subscribe(one!.api);
    const path = "/v1/event-endpoints/narrow";
    const narrow = { endpointId: "narrow", kind: "stream", types: ["target.paused"] };
    expect((await one!.api("POST", "/v1/event-endpoints", { body: narrow })).status).toBe(201);
    await using elsewhere = await openStream(two!.server.url, "narrow");
    await elsewhere.next();
    const wide = { types: ["target.updated"] };
    expect((await one!.api("PATCH", path, { body: wide })).status).toBe(200);
    await happen(one!.api, [1, 2]);
    const events = await elsewhere.events(2);
    expect(events.map(({ data }) => data.target.maxConcurrency)).toEqual([1, 2]);
  });

  test("a stream goes on at another node after its node was killed", async () => {
    await using cluster = await startCluster((await makeDatabase()).url, 2);
    const [one, two] = cluster.nodes;
    await subscribe(one!.api);
    await happen(one!.api, [1, 2, 3]);
    const { last } = await told(one!.server.url, undefined, 2);
    // What happens at one node is told by the other, too.
    await using elsewhere = await openStream(two!.server.url, "e", { lastEventId: last });
    await elsewhere.events(1);
    await one!.server.kill();
    await happen(two!.api, [4, 5]);
    const events = await elsewhere.events(2);
    expect(events.map(({ data }) => data.target.maxConcurrency)).toEqual([4, 5]);
    expect((await told(two!.server.url, last, 3)).numbers).toEqual([3, 4, 5]);
  });
});
