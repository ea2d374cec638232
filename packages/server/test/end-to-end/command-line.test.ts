import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTerminal } from "../../src/cli/testing/command-line.ts";
import { rootKey } from "../support/server-process.ts";
import { services, type ServiceUnderTest } from "../support/service.ts";
import { runCommand } from "./support/run-command.ts";

const startService = services();
const operatorKey = "pdo_operator_of_the_test_suite";

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs commands against a real server, with its key in a profile. */
async function loggedIn({ server, dataDir }: ServiceUnderTest) {
  const env = { XDG_CONFIG_HOME: join(dataDir, "config"), TZ: "Europe/Berlin" };
  const run = async (...argv: readonly string[]): Promise<Ran> => {
    const terminal = openTerminal({ env });
    const code = await terminal.run(...argv);
    return { code, stdout: terminal.stdout.text, stderr: terminal.stderr.text };
  };
  const ok = async (...argv: readonly string[]): Promise<Ran> => {
    const ran = await run(...argv);
    expect(ran, argv.join(" ")).toMatchObject({ code: 0 });
    return ran;
  };
  const json = async (...argv: readonly string[]) =>
    JSON.parse((await ok(...argv, "--json")).stdout) as Record<string, unknown>;
  const keyFile = join(dataDir, "key");
  for (const key of [rootKey, operatorKey]) {
    writeFileSync(keyFile, key);
    await ok("login", "--url", server.url, "--key-file", keyFile);
  }
  return { env, run, ok, json };
}

test("with a profile, every command reaches a real server", async () => {
  const service = await startService({ env: { POSTDATE_OPERATOR_KEY: operatorKey } });
  const { receiver } = service;
  const { env, run, ok, json } = await loggedIn(service);
  const profiles = join(env.XDG_CONFIG_HOME, "postdate", "profiles.json");
  expect(statSync(profiles).mode & 0o777).toBe(0o600);

  await ok("target", "add", receiver.url, "--id", "billing", "--backoff", "50ms");
  const growing = ["--backoff", "exponential", "--backoff-start", "50ms", "--max-attempts", "4"];
  await ok("target", "update", "billing", ...growing);
  expect((await ok("target", "get", "billing")).stdout).toContain("after 50 ms, 100 ms, 200 ms");
  await ok("target", "test", "billing", "try");
  expect(await run("send", "biling", "x")).toMatchObject({
    code: 4,
    stderr: "There is no target biling. Did you mean billing?\n",
  });

  let failures = 1;
  receiver.answerWith((_, response) => {
    if (failures-- > 0) response.writeHead(503).end("not now");
    else response.writeHead(204).end();
  });
  const delivered = await json("send", "billing", "hello", "--wait");
  expect(delivered).toMatchObject({ state: "DELIVERED", deliveryFailureCount: 1 });
  const attempts = await ok("attempts", String(delivered["messageId"]));
  expect(attempts.stdout).toMatch(/BAD_STATUS +503[^]*answer: not now[^]*DELIVERED/);

  const repeat = ["send", "billing", "later", "--in", "1h", "--idempotency-key", "k"];
  const [first, second] = [await json(...repeat), await json(...repeat)];
  expect(second).toEqual(first);
  const messageId = String(first["messageId"]);
  expect((await ok("payload", messageId)).stdout).toBe("later");
  const moved = await ok("reschedule", messageId, "--at", "2030-07-01 9:00");
  expect(moved.stderr).toMatch(
    /^Due 2030-07-01T09:00:00\+02:00 \(Europe\/Berlin, in \d+ y(?: \d+ d)?\)\.\n$/,
  );
  expect(moved.stdout).toContain("2030-07-01T07:00:00.000Z");
  const listed = await ok("list", "billing", "--min-time", "2030-07-01 9:00", "--all");
  expect(listed.stdout).toContain(messageId);
  expect((await ok("cancel", messageId)).stdout).toContain("CANCELLED");
  expect(await run("cancel", messageId)).toMatchObject({ code: 1 });
  expect(await run("get", "msg_00000000000000000000000000")).toMatchObject({ code: 4 });
  expect((await ok("dead-letters", "billing")).stderr).toContain("No dead letters for billing.");

  await ok("target", "rotate-secret", "billing", "--overlap", "1h");
  await ok("target", "pause", "billing");
  await ok("target", "resume", "billing");
  await ok("target", "remove", "billing");
  expect((await ok("target", "list")).stderr).toContain("No targets yet");

  const { keyId } = await json("key", "create", "--name", "ci");
  expect((await ok("key", "list")).stdout).toContain(String(keyId));
  await ok("key", "revoke", String(keyId));
  expect(await run("key", "revoke", String(keyId))).toMatchObject({ code: 4 });
  const { clientId } = await json("client", "create", "--name", "shop");
  await ok("client", "rotate-secret", String(clientId), "--overlap", "0s");
  expect((await ok("client", "list")).stdout).toContain(String(clientId));
  await ok("client", "delete", String(clientId));
  expect((await json("stats"))["pending"]).toMatchObject({ value: expect.any(Number) });
  expect((await ok("forecast")).stdout).toMatch(/messages? due \(by hour, /);
  expect((await ok("activity")).stdout).toMatch(/attempts? \(by minute, /);
  await ok("dead-letter-groups");
  expect((await json("usage"))["used"]).toEqual(expect.any(Number));
  expect((await ok("nodes")).stdout).toContain("all");
  expect((await ok("audit", "--limit", "5")).stdout).toContain("client.");

  await ok("account", "create", "--id", "shop", "--monthly-limit", "5");
  await ok("account", "update", "shop", "--name", "Blue");
  expect((await ok("account", "list", "--all")).stdout).toMatch(/shop .*at most 5 a month/);
  await ok("account", "create-key", "shop", "--name", "recovery");
  expect((await ok("account", "suspend", "shop")).stdout).toContain("suspended");
  await ok("account", "resume", "shop");
  expect((await ok("audit", "--account", "shop")).stdout).toContain("shop");
  expect((await ok("audit", "--all-accounts", "--min-time", "1h")).stdout).toContain("shop");
  await ok("account", "suspend", "shop");
  await ok("account", "delete", "shop", "--yes");
  expect(await run("account", "get", "shop")).toMatchObject({
    code: 4,
    stderr: "There is no account shop.\n",
  });
  await ok("signing-key", "rotate");
  expect((await ok("signing-key", "list")).stdout).toContain("KEY");
});

test("the program itself reads the profile, and its errors name what to do", async () => {
  const service = await startService();
  const { dataDir, server } = service;
  writeFileSync(join(dataDir, "key"), `${rootKey}\n`);
  const env = {
    XDG_CONFIG_HOME: join(dataDir, "config"),
    POSTDATE_URL: undefined,
    POSTDATE_KEY: undefined,
  };
  const login = ["login", "--url", server.url, "--key-file", join(dataDir, "key")];
  expect(await runCommand(login, env).ended).toMatchObject({ code: 0, stdout: "" });
  expect(await runCommand(["usage"], env).ended).toMatchObject({ code: 0, stderr: "" });
  await server.stop();
  expect(await runCommand(["usage"], env).ended).toMatchObject({
    code: 3,
    stderr: `Cannot reach ${server.url}: nothing listens there. Is \`postdate serve\` running?\n`,
  });
});
