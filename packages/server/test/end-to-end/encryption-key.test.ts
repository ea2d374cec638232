import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { apiOf } from "../support/api.ts";
import type { Api } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import { encryptionOf, makeSealedThings } from "../support/sealed-things.ts";
import { makeDataDir, operatorKey, startServerProcess } from "../support/server-process.ts";
import type { ServerProcess, ServerProcessOptions } from "../support/server-process.ts";
import { runCommand } from "./support/run-command.ts";

const patience = { timeout: 60_000, interval: 50 };
const operated = { POSTDATE_OPERATOR_KEY: operatorKey };
const keys = ["11".repeat(32), "22".repeat(32)] as const;

async function startOwned(options: ServerProcessOptions): Promise<ServerProcess> {
  const server = await startServerProcess(options);
  onTestFinished(() => server.kill());
  return server;
}

/** The one key that is left, when all values have been counted. */
const exactKeysOf = (api: Api) =>
  vi.waitUntil(async () => {
    const { exact, keys: found } = await encryptionOf(api);
    return exact && found.length === 1 ? found : undefined;
  }, patience);

const rotate = (url: string) =>
  runCommand(["encryption", "rotate", "--json"], { POSTDATE_URL: url, ...operated }).ended;

test("a server that made its key itself exchanges it with one command, and everything stays readable", async () => {
  await using dataDir = await makeDataDir();
  await using receiver = await startReceiver();
  const options = { dataDir: dataDir.path, env: operated };
  const server = await startOwned(options);
  const api = apiOf(server.url);
  const things = await makeSealedThings({ api, receiver, targets: 3, messages: 250 });
  const [before] = await exactKeysOf(api);
  const keyFile = join(dataDir.path, "encryption.key");
  const oldKey = readFileSync(keyFile, "utf8");

  const rotated = await rotate(server.url);
  expect(rotated).toMatchObject({ code: 0 });
  const { keyId } = JSON.parse(rotated.stdout);
  expect(keyId).not.toBe(before!.keyId);
  await vi.waitFor(async () => {
    expect((await encryptionOf(api)).rotation).toMatchObject({ state: "DONE" });
  }, patience);
  expect(await exactKeysOf(api)).toEqual([{ keyId, values: before!.values, inUse: true }]);
  expect(readFileSync(keyFile, "utf8")).not.toBe(oldKey);
  await server.stop();

  expect(readFileSync(`${keyFile}.previous`, "utf8")).toBe(oldKey);
  rmSync(`${keyFile}.previous`);
  const again = await startOwned(options);
  await things.check(apiOf(again.url));
  await again.stop();
  writeFileSync(keyFile, oldKey);
  await expect(startOwned(options)).rejects.toThrow(
    /The encryption key does not fit the data: .* \(key_[0-9a-f]{12}\)/,
  );
}, 120_000);

test("a key that is set is exchanged by setting the next one, and needed until nothing is sealed with it", async () => {
  await using dataDir = await makeDataDir();
  await using receiver = await startReceiver();
  const start = (current: string, others?: string) =>
    startOwned({
      dataDir: dataDir.path,
      env: {
        ...operated,
        POSTDATE_ENCRYPTION_KEY: current,
        POSTDATE_ENCRYPTION_OTHER_KEYS: others,
      },
    });
  const first = await start(keys[0]);
  const things = await makeSealedThings({
    api: apiOf(first.url),
    ...{ receiver, targets: 1, messages: 10 },
  });
  const refused = await rotate(first.url);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("E-DI-9003");
  await first.stop();
  expect(existsSync(join(dataDir.path, "encryption.key"))).toBe(false);

  await expect(start(keys[1])).rejects.toThrow("does not fit the data");
  const second = await start(keys[1], keys[0]);
  await second.stop();
  // From now on values may be sealed with both.
  await expect(start(keys[0])).rejects.toThrow(/Values are sealed with the encryption key key_/);
  await expect(start(keys[1])).rejects.toThrow("does not fit the data");

  const third = await start(keys[1], keys[0]);
  expect(await rotate(third.url)).toMatchObject({ code: 0 });
  await vi.waitFor(async () => {
    expect((await encryptionOf(apiOf(third.url))).rotation).toMatchObject({ state: "DONE" });
  }, patience);
  await third.stop();
  await expect(start(keys[0])).rejects.toThrow("does not fit the data");
  const last = await start(keys[1]);
  await things.check(apiOf(last.url));
  await last.stop();
}, 120_000);
