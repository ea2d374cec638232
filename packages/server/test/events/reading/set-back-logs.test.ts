import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { testDatabases } from "../../../src/storage/postgres/testing/test-databases.ts";
import { runCommand } from "../../end-to-end/support/run-command.ts";
import { apiOf } from "../../support/api.ts";
import type { Api } from "../../support/api.ts";
import { openStream } from "../../support/event-stream.ts";
import { expectRefusal } from "../../support/expectations.ts";
import { makeDataDir, startServerProcess } from "../../support/server-process.ts";
import type { ServerProcess } from "../../support/server-process.ts";

const key = { POSTDATE_ENCRYPTION_KEY: "ab".repeat(32) };
const makeDatabase = testDatabases();

interface Running {
  readonly server: ServerProcess;
  readonly api: Api;
}

/** Where a server keeps its data, and how that is set back. */
interface Place {
  start(): Promise<Running>;
  /** The data of this moment, in another place. A server that is in the way of this stops. */
  copy(running: Running): Promise<Place>;
}

async function run(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<Running> {
  const server = await startServerProcess({ dataDir, env: { ...key, ...env } });
  onTestFinished(() => server.kill());
  return { server, api: apiOf(server.url) };
}

async function temporaryFolder(): Promise<string> {
  const folder = await makeDataDir();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}

function folderAt(path: string): Place {
  return {
    start: () => run(path),
    async copy() {
      const folder = await temporaryFolder();
      const file = join(folder, "backup.db");
      const restored = join(folder, "restored");
      mkdirSync(restored, { mode: 0o700 });
      for (const args of [
        ["backup", file, "--data-dir", path],
        ["restore", file, "--data-dir", restored],
      ]) {
        expect(await runCommand(args, key).ended).toMatchObject({ code: 0 });
      }
      return folderAt(restored);
    },
  };
}

/** As a dump and a recovery to a point in time, the copy has what was committed until then. */
function databaseAt(url: string): Place {
  return {
    start: async () => run(await temporaryFolder(), { POSTDATE_DATABASE_URL: url }),
    async copy({ server }) {
      await server.stop();
      const name = new URL(url).pathname.slice(1);
      return databaseAt((await makeDatabase(`TEMPLATE ${name}`)).url);
    },
  };
}

async function begin({ api }: Running): Promise<void> {
  const target = { targetId: "t", url: "http://127.0.0.1:1/" };
  expect((await api("POST", "/v1/targets", { body: target })).status).toBe(200);
  const endpoint = { endpointId: "e", kind: "stream", types: ["target.updated"] };
  expect((await api("POST", "/v1/event-endpoints", { body: endpoint })).status).toBe(201);
}

/** Each number is an event. Resolves when they can be read. */
async function happen({ api, server }: Running, numbers: readonly number[]): Promise<void> {
  for (const maxConcurrency of numbers) {
    const { status } = await api("PATCH", "/v1/targets/t", { body: { maxConcurrency } });
    expect(status).toBe(200);
  }
  await using stream = await openStream(server.url, "e", { query: "?from=oldest" });
  for (;;) {
    const [event] = await stream.events(1);
    if (event!.data.target.maxConcurrency === numbers.at(-1)) return;
  }
}

async function positionsOf({ api }: Running): Promise<string[]> {
  const { body } = await api("GET", "/v1/event-endpoints/e/events?from=oldest");
  return body.events.map(({ position }: { position: string }) => position);
}

/** What a stream tells that goes on after a position, up to an event: numbers of events, and gaps. */
async function toldAfter(
  { server }: Running,
  lastEventId: string,
  last: number,
): Promise<(number | "gap")[]> {
  await using stream = await openStream(server.url, "e", { lastEventId });
  const told: (number | "gap")[] = [];
  while (told.at(-1) !== last) {
    const frame = await stream.next();
    if (frame === undefined) throw new Error("the stream ended");
    if (frame.event === "postdate.gap") told.push("gap");
    else if (frame.id !== undefined) {
      told.push(JSON.parse(frame.data!).data.target.maxConcurrency);
    }
  }
  return told;
}

const stores: readonly [string, () => Promise<Place>][] = [
  ["a restored data folder", async () => folderAt(await temporaryFolder())],
  ["a database at an earlier point", async () => databaseAt((await makeDatabase()).url)],
];

describe.each(stores)("%s", (_name, makePlace) => {
  test("a reader of what the log has lost is told of a gap, also once the log has grown past it", async () => {
    const place = await makePlace();
    let before = await place.start();
    await begin(before);
    await happen(before, [1, 2, 3]);
    const copy = await place.copy(before);
    if (before.server.process.exitCode !== null) before = await place.start();
    await happen(before, [4, 5, 6]);
    const positions = await positionsOf(before);
    expect(positions).toHaveLength(6);
    await before.server.stop();

    const after = await copy.start();
    // Other events than the lost ones have the positions of those, and there is one beyond them.
    await happen(after, [7, 8, 9, 10]);
    for (const lost of positions.slice(3)) {
      const told = await toldAfter(after, lost, 10);
      expect(told).toEqual(["gap", 1, 2, 3, 7, 8, 9, 10]);
      const call = await after.api("GET", `/v1/event-endpoints/e/events?after=${lost}`);
      expectRefusal(call, 410, { code: "E-DI-8002" });
    }
    // Whoever had come no further than the copy goes on.
    expect(await toldAfter(after, positions[2]!, 10)).toEqual([7, 8, 9, 10]);
    expect((await positionsOf(after)).slice(0, 3)).toEqual(positions.slice(0, 3));
  }, 300_000);

  test("the end of a log that nothing was read of is a place of that log alone", async () => {
    const place = await makePlace();
    let before = await place.start();
    await begin(before);
    await happen(before, [1]);
    const copy = await place.copy(before);
    if (before.server.process.exitCode !== null) before = await place.start();
    await happen(before, [2]);
    const { body } = await before.api("GET", "/v1/event-endpoints/e/events");
    expect(body.events).toEqual([]);
    await before.server.stop();

    const after = await copy.start();
    await happen(after, [3, 4]);
    expect(await toldAfter(after, body.nextPosition, 4)).toEqual(["gap", 1, 3, 4]);
  }, 300_000);
});

test("a reader goes on in the database that its data folder was moved to", async () => {
  const path = await temporaryFolder();
  const before = await folderAt(path).start();
  await begin(before);
  await happen(before, [1, 2, 3]);
  const positions = await positionsOf(before);
  await before.server.stop();
  const { url } = await makeDatabase();
  const moved = await runCommand(["migrate", "--from", path, "--to", url], key).ended;
  expect(moved).toMatchObject({ code: 0 });
  const after = await databaseAt(url).start();
  await happen(after, [4]);
  expect(await toldAfter(after, positions[1]!, 4)).toEqual([3, 4]);
}, 300_000);
