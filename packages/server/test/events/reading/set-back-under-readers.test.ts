import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import { apiOf } from "../../support/api.ts";
import { openStream } from "../../support/event-stream.ts";
import type { OpenedStream } from "../../support/event-stream.ts";
import { startReceiver } from "../../support/receiver.ts";
import type { Receiver } from "../../support/receiver.ts";
import { makeDataDir, startServerProcess } from "../../support/server-process.ts";

const makeDatabase = preparedDatabases();
const tables = ["event_logs", "event_bundles", "event_endpoints"] as const;

/** Numbers from one to another. */
const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

interface Log {
  save(): Promise<void>;
  /** As a standby that had not everything yet, and takes over so fast that nobody notices. */
  setBack(): Promise<void>;
}

async function logIn(url: string): Promise<Log> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const each = (write: (table: string) => string): string => tables.map(write).join(";");
  return {
    async save() {
      await client.query(each((table) => `CREATE TABLE saved_${table} AS TABLE ${table}`));
    },
    async setBack() {
      const restore = each(
        (table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM saved_${table}`,
      );
      await client.query(`BEGIN; LOCK TABLE ${tables.join(", ")}; ${restore}; COMMIT`);
    },
  };
}

function toldTo(receiver: Receiver): number[] {
  return receiver.receipts.flatMap(({ body }) =>
    JSON.parse(body.toString()).map((event: { data: { target: { maxConcurrency: number } } }) => {
      return event.data.target.maxConcurrency;
    }),
  );
}

/** What a stream tells up to a number: numbers and gaps. */
async function toldBy(stream: OpenedStream, last: number): Promise<(number | "gap")[]> {
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

test("who reads and who is sent to goes on in a log that is set back while the node lives", async () => {
  const { url } = await makeDatabase();
  const dataDir = await makeDataDir();
  onTestFinished(() => dataDir[Symbol.asyncDispose]());
  const server = await startServerProcess({
    dataDir: dataDir.path,
    env: { POSTDATE_DATABASE_URL: url, POSTDATE_ENCRYPTION_KEY: "ab".repeat(32) },
  });
  onTestFinished(() => server.kill());
  const api = apiOf(server.url);
  await using receiver = await startReceiver();
  const post = async (path: string, body: object): Promise<void> => {
    expect((await api("POST", path, { body })).status).toBeLessThan(300);
  };
  /** Each number is an event. */
  const happen = async (from: number, to: number): Promise<void> => {
    for (const maxConcurrency of numbers(from, to)) {
      const { status } = await api("PATCH", "/v1/targets/t", { body: { maxConcurrency } });
      expect(status).toBe(200);
    }
  };
  const recorded = async (): Promise<void> => {
    await expect
      .poll(async () => (await api("GET", "/v1/event-endpoints/w")).body.progress.behind, {
        timeout: 30_000,
      })
      .toBe(0);
  };
  await post("/v1/targets", { targetId: "t", url: "http://127.0.0.1:1/" });
  const types = ["target.updated"];
  await post("/v1/event-endpoints", { endpointId: "e", kind: "stream", types });
  await post("/v1/event-endpoints", {
    ...{ endpointId: "w", kind: "webhook", types, url: receiver.url, maxBatch: 10 },
  });
  const log = await logIn(url);
  await using stream = await openStream(server.url, "e", { query: "?from=oldest" });
  await happen(1, 5);
  expect(await toldBy(stream, 5)).toEqual(numbers(1, 5));
  await recorded();
  await log.save();
  await happen(6, 15);
  expect(await toldBy(stream, 15)).toEqual(numbers(6, 15));
  await recorded();

  await log.setBack();
  // From the beginning that the log has now, at once, though it ends before the place of this reader.
  expect(await toldBy(stream, 5)).toEqual(["gap", ...numbers(1, 5)]);
  const now = await api("GET", "/v1/event-endpoints/e/events");
  expect([now.status, now.body.events]).toEqual([200, []]);
  await happen(16, 20);
  expect(await toldBy(stream, 20)).toEqual(numbers(16, 20));
  await happen(21, 28);
  await expect.poll(() => toldTo(receiver).at(-1), { timeout: 30_000 }).toBe(28);
  expect(toldTo(receiver)).toEqual(numbers(1, 28));
}, 120_000);
