import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { testDatabases } from "../../src/storage/postgres/testing/test-databases.ts";
import { readSchemaSteps } from "../../src/storage/schema-version.ts";
import { apiOf } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import type { Receiver } from "../support/receiver.ts";
import { startServerProcess } from "../support/server-process.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { verifyWebhook } from "../support/verify-webhook.ts";
import { fixtureFolder, restorePostgres, restoreSqlite } from "./support/fixtures.ts";
import {
  authorization,
  receiverPort,
  serverArgs,
  serverEnv,
  shiftByMs,
} from "./support/populate.ts";
import type { Facts } from "./support/populate.ts";

const makeDatabase = testDatabases();
const fixtures = globSync("*.sql", { cwd: fixtureFolder }).toSorted();
const isForPostgres = (fixture: string): boolean => fixture.includes(".postgres.");

function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "postdate-upgrade-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** The sealed addresses name its port. Another run of this test on the machine may have it just now. */
async function receiverOfTheFixture(): Promise<Receiver> {
  let receiver: Receiver | undefined;
  await expect
    .poll(async () => (receiver = await startReceiver(receiverPort).catch(() => undefined)))
    .toBeDefined();
  receiver!.answerWith(({ path }, response) => {
    response.writeHead(path === "/failing" ? 500 : 204).end();
  });
  return receiver!;
}

interface Restored {
  start(): Promise<ServerProcess>;
}

async function restore(fixture: string): Promise<Restored> {
  const sql = readFileSync(join(fixtureFolder, fixture), "utf8");
  const dataDir = join(newFolder(), "data");
  const env: Record<string, string> = { ...serverEnv };
  if (isForPostgres(fixture)) {
    const { url } = await makeDatabase();
    await restorePostgres(sql, url);
    env["POSTDATE_DATABASE_URL"] = url;
  } else {
    restoreSqlite(sql, dataDir);
  }
  return { start: () => startServerProcess({ dataDir, args: serverArgs, env }) };
}

describe.each(fixtures)("on what was left by %s", (fixture) => {
  const facts: Facts = JSON.parse(
    readFileSync(join(fixtureFolder, fixture.replace(/sql$/, "json")), "utf8"),
  );

  test("this version delivers what is due, goes on with the job, and reads everything", async () => {
    await using receiver = await receiverOfTheFixture();
    const { start } = await restore(fixture);
    const server = await start();
    onTestFinished(() => server.kill());
    const api = apiOf(server.url);
    const get = async (path: string, key?: string) => {
      const answer = await api("GET", path, key === undefined ? {} : { key });
      expect(answer.status, `${path}: ${answer.text}`).toBe(200);
      return answer.body;
    };

    // Sealed: the address, the header and the secret of a target.
    const due = Object.entries(facts.due);
    const ofShop = await receiver.received(due.length, ({ path }) => path === "/shop");
    const arrived = ofShop.map(({ messageId, body }) => [messageId, body.toString()]);
    expect(Object.fromEntries(arrived)).toEqual(facts.due);
    for (const receipt of ofShop) {
      expect(receipt.headers["authorization"]).toBe(authorization);
      verifyWebhook(facts.signingSecret, receipt);
    }
    const [ofSecond] = await receiver.received(1, ({ path }) => path === "/second");
    expect(ofSecond).toMatchObject({ messageId: facts.secondAccount.dueMessageId });
    for (const [messageId] of due) {
      await expect
        .poll(() => get(`/v1/messages/${messageId}`))
        .toMatchObject({ state: "DELIVERED" });
    }

    for (const message of facts.settled) {
      expect(await get(`/v1/messages/${message.messageId}`)).toMatchObject(message);
      await get(`/v1/messages/${message.messageId}/payload`);
      const { attempts: items } = await get(`/v1/messages/${message.messageId}/attempts`);
      expect(items).toHaveLength(message.lastDeliveryTime === null ? 0 : 1);
    }
    const byKey = await get(`/v1/targets/shop/keys/${encodeURIComponent("order 7")}`);
    expect(facts.settled.map(({ messageId }) => messageId)).toContain(byKey.messageId);
    for (const target of facts.targets) {
      expect(await get(`/v1/targets/${target.targetId}`)).toMatchObject(target);
    }
    for (const schedule of facts.schedules) {
      expect(await get(`/v1/schedules/${schedule.scheduleId}`)).toMatchObject(schedule);
    }

    await get("/v1/targets", facts.key);
    await get("/v1/targets/shop", facts.secondAccount.key);
    // Sealed: the key that signs tokens.
    const { clientId, clientSecret } = facts.client;
    const form = {
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
    };
    const token = await fetch(`${server.url}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams(form),
    });
    expect(token.status).toBe(200);
    const { access_token: accessToken } = (await token.json()) as { access_token: string };
    await get("/v1/targets", accessToken);

    const count = Object.keys(facts.moved).length;
    await expect.poll(() => get(`/v1/jobs/${facts.jobId}`)).toMatchObject({ done: count });
    for (const [messageId, before] of Object.entries(facts.moved)) {
      const { nextDeliveryTime } = await get(`/v1/messages/${messageId}`);
      expect(Date.parse(nextDeliveryTime)).toBe(Date.parse(before) + shiftByMs);
    }
    expect(receiver.receipts).toHaveLength(due.length + 1);
    expect(await server.stop()).toBe(0);
  });
});

test("every store has a fixture, and none is of a schema that is not released yet", () => {
  for (const store of ["sqlite", "postgres"]) {
    const steps = readSchemaSteps(
      join(import.meta.dirname, "../../src/storage", store, "migrations"),
    );
    const versions = fixtures
      .filter((name) => name.endsWith(`.${store}.sql`))
      .map((name) => Number(/^schema-(\d+)\./.exec(basename(name))![1]));
    expect(versions.length, store).toBeGreaterThan(0);
    for (const version of versions) expect(version).toBeLessThanOrEqual(steps.length);
  }
});
