import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Settings } from "../../config/settings.ts";
import type { SignInLink } from "../../domain/session.ts";
import { formatTime } from "../../domain/times.ts";
import { systemClock } from "../../platform/clock.ts";
import {
  answeringService,
  type Answer,
  type AnsweringService,
  type Asked,
} from "../testing/answering-service.ts";
import { openTerminal } from "../testing/command-line.ts";
import { heldServer } from "../testing/held-server.ts";
import { messageId, wireMessage, wireTarget } from "../testing/samples.ts";
import { deliverSigned } from "../testing/signed-delivery.ts";

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

const unknownTarget = {
  status: 404,
  json: { errors: [{ code: "E-DI-3004", message: "No target" }] },
};

function newDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), "postdate-"));
  cleanUps.push(() => rmSync(dataDir, { recursive: true }));
  return dataDir;
}

async function serviceFor(answer: (asked: Asked) => Answer): Promise<AnsweringService> {
  const service = await answeringService(answer);
  cleanUps.push(() => service.close());
  return service;
}

/** Starts `postdate dev` and waits until it has printed its start-up text. */
async function startDev(
  service: AnsweringService,
  dataDir: string,
  env: Record<string, string> = {},
  ...options: readonly string[]
) {
  const server = heldServer({ url: service.url });
  const seen: Settings[] = [];
  let signInLink: SignInLink | undefined;
  const terminal = openTerminal({
    env,
    startServer: async (settings, _identity, link) => {
      seen.push(settings);
      signInLink = link;
      return server;
    },
  });
  const exitCode = terminal.run("dev", "--data-dir", dataDir, "--receiver-port", "0", ...options);
  const text = await Promise.race([terminal.stdout.shows(/as they happen/), exitCode.then(fail)]);
  const stop = async (): Promise<number> => {
    terminal.signal("SIGINT");
    server.finishStop();
    return exitCode;
  };
  cleanUps.push(stop);
  const receiverUrl = /Receiver +(\S+)/.exec(text)![1]!;
  return { ...terminal, text, settings: seen[0]!, signInLink: signInLink!, receiverUrl, stop };

  function fail(code: number): never {
    throw new Error(`ended with ${code}: ${terminal.stderr.text}`);
  }
}

function madeTarget(): (asked: Asked) => Answer {
  return ({ method, path, body }) => {
    if (method === "GET" && path === "/v1/targets/dev") return unknownTarget;
    if (method === "POST") return { json: { ...wireTarget(), ...(body as object) } };
    return { json: wireMessage({ nextDeliveryTime: formatTime(systemClock.now()) }) };
  };
}

test("the first start makes a key, a target and a receiver, and says how to use them", async () => {
  const dataDir = newDataDir();
  const service = await serviceFor(madeTarget());
  const dev = await startDev(service, dataDir);
  const key = readFileSync(join(dataDir, "dev-key"), "utf8").trim();
  expect(statSync(join(dataDir, "dev-key")).mode & 0o777).toBe(0o600);
  expect(dev.settings).toMatchObject({
    rootKey: key,
    logLevel: "error",
    allowCidrs: ["127.0.0.0/8", "::1/128"],
  });
  expect(service.asked[1]).toMatchObject({
    method: "POST",
    path: "/v1/targets",
    headers: { authorization: `Bearer ${key}` },
    body: {
      targetId: "dev",
      kind: "webhook",
      url: `${dev.receiverUrl}/`,
      retryPolicy: {
        maxAttempts: 4,
        backoff: { kind: "exponential", initialMs: 1_000, factor: 2, maxMs: 10_000, jitter: 0 },
      },
    },
  });
  expect(dev.text.startsWith(`Postdate is ready on ${service.url}\n`)).toBe(true);
  expect(dev.signInLink.key).toBe(key);
  expect(dev.signInLink.code).toMatch(/^pdl_[\w-]{43}$/);
  for (const part of [
    `${service.url}/console/#code=${dev.signInLink.code} (signs in, once)\n`,
    `${service.url}/docs`,
    `export POSTDATE_URL=${service.url}\n`,
    `export POSTDATE_KEY=${key}\n`,
    'npx postdate send dev "hello" --in 5s --wait',
    `npx postdate dev fail 3 --receiver-port ${new URL(dev.receiverUrl).port}`,
  ]) {
    expect(dev.text).toContain(part);
  }
  expect(await dev.stop()).toBe(0);
  await expect(fetch(dev.receiverUrl)).rejects.toThrow("fetch failed");
});

test("each delivery is shown with its lateness, and `dev fail` makes the next ones fail", async () => {
  const dataDir = newDataDir();
  const dev = await startDev(await serviceFor(madeTarget()), dataDir);
  const secret = readFileSync(join(dataDir, "dev-secret"), "utf8").trim();
  const port = new URL(dev.receiverUrl).port;
  const fail = ["dev", "fail", "1", "--status", "500", "--receiver-port", port];
  expect(await dev.run(...fail, "--json")).toBe(0);
  expect(dev.stdout.text).toContain('{\n  "failures": 1,\n  "status": 500\n}\n');
  expect(await dev.run(...fail)).toBe(0);
  const delivery = { url: dev.receiverUrl, secret, messageId, payload: "hello" };
  expect((await deliverSigned({ ...delivery, now: systemClock.now() })).status).toBe(500);
  expect((await deliverSigned({ ...delivery, now: systemClock.now() })).status).toBe(200);
  const line = `\\+?-?\\d+ ms  ${messageId}  attempt 1  `;
  await dev.stdout.shows(new RegExp(`${line}500  5 B  hello\n[^]*${line}200  5 B  hello\n`));
  expect(dev.stdout.text).not.toContain("SIGNATURE");
  expect(await dev.stop()).toBe(0);
});

test("a later start keeps key and secret, and moves the target to the receiver", async () => {
  const dataDir = newDataDir();
  const first = await startDev(await serviceFor(madeTarget()), dataDir);
  await first.stop();
  const service = await serviceFor(() => ({ json: wireTarget({ targetId: "dev", paused: true }) }));
  const second = await startDev(service, dataDir);
  expect(second.settings.rootKey).toBe(first.settings.rootKey);
  const asked = service.asked.filter(({ path }) => path.startsWith("/v1/targets"));
  expect(asked.map(({ method, path, body }) => [method, path, body])).toEqual([
    ["GET", "/v1/targets/dev", undefined],
    ["PATCH", "/v1/targets/dev", { url: `${second.receiverUrl}/`, headers: {} }],
  ]);
  expect(second.stderr.text).toContain("is paused");
  expect(second.stderr.text).toContain("has lost its headers");
  await second.stop();
});

test("what else happens is shown beside the deliveries, once", async () => {
  const told = (type: string, targetId: string): string => {
    const time = "2026-11-14T09:30:00.000Z";
    const data = { message: wireMessage({ targetId, nextDeliveryTime: null }) };
    const event = {
      type: `postdate.message.${type}.v1`,
      subject: `messages/${messageId}`,
      time,
      data,
    };
    return `id: p\ndata: ${JSON.stringify(event)}\n\n`;
  };
  const stream = [told("delivered", "dev"), told("cancelled", "dev"), told("delivered", "other")];
  const service = await serviceFor((asked) => {
    if (asked.path.includes("/stream")) {
      return { headers: { "content-type": "text/event-stream" }, text: stream.splice(0).join("") };
    }
    if (asked.path.endsWith("/events")) return { json: { events: [], nextPosition: "p" } };
    return madeTarget()(asked);
  });
  const dev = await startDev(service, newDataDir());
  await dev.stdout.shows(
    new RegExp(
      `happen[^\n]*\n+09:30:00.000Z  message.cancelled +${messageId}  to dev\n09:30:00.000Z  message.delivered +${messageId}  to other\n`,
    ),
  );
  expect(await dev.stop()).toBe(0);
});

test("a target whose secret was lost gets a new one, which is kept", async () => {
  const dataDir = newDataDir();
  const secret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
  const service = await serviceFor(({ path }) => {
    if (path.startsWith("/v1/messages/")) return { json: wireMessage() };
    return { json: path.endsWith("/rotate-secret") ? wireTarget({ secret }) : wireTarget() };
  });
  const dev = await startDev(service, dataDir);
  expect(readFileSync(join(dataDir, "dev-secret"), "utf8")).toBe(`${secret}\n`);
  const now = systemClock.now();
  const answer = await deliverSigned({
    url: dev.receiverUrl,
    secret,
    messageId,
    now,
    payload: "x",
  });
  expect(answer.status).toBe(200);
  await dev.stop();
});

test("with a JSON log, messages on stderr are JSON too", async () => {
  const moved = wireTarget({ targetId: "dev", paused: true });
  const service = await serviceFor(() => ({ json: moved }));
  const dev = await startDev(service, newDataDir(), {}, "--log-format", "json");
  await dev.stop();
  const lines = dev.stderr.text.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: "warn", msg: expect.stringContaining("has lost its headers") },
    { level: "warn", msg: expect.stringContaining("is paused") },
    { level: "info", msg: expect.stringContaining("SIGINT: stopping") },
  ]);
  expect(dev.text).toMatch(/^Postdate is ready on /);
});

test("a root key from the environment is used unchanged", async () => {
  const dataDir = newDataDir();
  const env = { POSTDATE_ROOT_KEY: "pd_0123456789abcdef" };
  const dev = await startDev(await serviceFor(madeTarget()), dataDir, env);
  expect(dev.settings.rootKey).toBe(env.POSTDATE_ROOT_KEY);
  expect(dev.text).toContain(`export POSTDATE_KEY=${env.POSTDATE_ROOT_KEY}\n`);
  await dev.stop();
});

test("a failed start is explained in one sentence, and nothing stays open", async () => {
  const dataDir = newDataDir();
  const taken = createServer().listen(0, "127.0.0.1");
  cleanUps.push(() => taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const terminal = openTerminal();
  expect(await terminal.run("dev", "--data-dir", dataDir, "--receiver-port", String(port))).toBe(1);
  expect(terminal.stderr.text).toMatch(/^Port \d+ for the receiver is in use\.[^\n]*\n$/);

  writeFileSync(join(dataDir, "dev-key"), "not a key");
  const again = openTerminal();
  expect(await again.run("dev", "--data-dir", dataDir, "--receiver-port", "0")).toBe(1);
  expect(again.stderr.text).toContain("dev-key");
  expect(await again.run("dev", "--receiver-port", "x")).toBe(2);
});

test("the server stops again if the target cannot be made", async () => {
  const service = await serviceFor(() => ({
    status: 400,
    json: { errors: [{ code: "E-DI-3005", message: "Not allowed", field: "url" }] },
  }));
  const server = heldServer({ url: service.url });
  const terminal = openTerminal({ startServer: async () => server });
  server.finishStop();
  expect(await terminal.run("dev", "--data-dir", newDataDir(), "--receiver-port", "0")).toBe(1);
  expect(server.stops).toBe(1);
  expect(terminal.stderr.text).toContain("E-DI-3005: Not allowed (url)");
});

test("`dev fail` reports that no dev is running, and checks its arguments", async () => {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as { port: number };
  free.close();
  await once(free, "close");
  const terminal = openTerminal();
  expect(await terminal.run("dev", "fail", "3", "--receiver-port", String(port))).toBe(3);
  expect(terminal.stderr.text).toContain("Is `postdate dev` running?");
  expect(await terminal.run("dev", "fail", "x")).toBe(2);
  expect(await terminal.run("dev", "fail", "1", "2")).toBe(2);
  expect(terminal.stderr.text).toContain("error: too many arguments");
  expect(await terminal.run("dev", "fail", "1", "--status", "200")).toBe(2);
});

test.each([200, 500])(
  "what another program on that port answers `dev fail` with %i drives no terminal",
  async (status) => {
    const { url } = await serviceFor(() => ({ status, text: "\u001b[2Jowned\u202e\n" }));
    const terminal = openTerminal();
    await terminal.run("dev", "fail", "1", "--receiver-port", new URL(url).port);
    expect(terminal.stdout.text + terminal.stderr.text).toBe("\\u001b[2Jowned\\u202e\n");
  },
);
