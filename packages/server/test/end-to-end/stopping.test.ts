import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { inMs } from "../support/api.ts";
import { makeDataDir, rootKey, startServerProcess } from "../support/server-process.ts";
import { addTarget, scheduleAt, services } from "../support/service.ts";

const startService = services();

test("SIGTERM lets an attempt in flight finish, records it, and exits with 0", async () => {
  const service = await startService();
  await addTarget(service);
  const held = Promise.withResolvers<() => void>();
  service.receiver.answerWith((_, response) => held.resolve(() => response.writeHead(204).end()));
  const messageId = await scheduleAt(service, inMs(0));
  const answer = await held.promise;
  const stopped = service.server.stop();
  await expect
    .poll(async () => (await service.api("GET", "/readyz", { key: null })).status)
    .toBe(503);
  answer();
  expect(await stopped).toBe(0);
  const again = await service.restart();
  expect((await again.api("GET", `/v1/messages/${messageId}`)).body.state).toBe("DELIVERED");
  expect(service.receiver.receipts).toHaveLength(1);
});

test("an attempt that outlasts the drain is interrupted, recorded and made again", async () => {
  const service = await startService({ args: ["--drain-timeout", "100ms"] });
  await addTarget(service, { retryPolicy: { maxAttempts: 1 } });
  service.receiver.answerWith(() => {});
  const messageId = await scheduleAt(service, inMs(0));
  await service.receiver.received(1);
  expect(await service.server.stop()).toBe(0);
  service.receiver.answerWith((_, response) => response.writeHead(204).end());
  const again = await service.restart();
  await service.receiver.received(2);
  await expect
    .poll(async () => (await again.api("GET", `/v1/messages/${messageId}`)).body.state)
    .toBe("DELIVERED");
  const { body } = await again.api("GET", `/v1/messages/${messageId}/attempts`);
  expect(body.attempts.map((attempt: { outcome: string }) => attempt.outcome)).toEqual([
    "INTERRUPTED",
    "DELIVERED",
  ]);
});

/** Says when nothing is left to run, in the thread that signals reach. */
const sayEnding = encodeURIComponent(`
  import { writeSync } from "node:fs";
  import { isMainThread } from "node:worker_threads";
  if (isMainThread) process.on("exit", () => writeSync(1, "ending\\n"));
`);

test("a signal that npm passes on while the process ends does not make the stop a failure", async () => {
  const service = await startService({
    env: {
      npm_lifecycle_script: "postdate serve",
      NODE_OPTIONS: `--import=data:text/javascript,${sayEnding}`,
    },
  });
  const { process: server } = service.server;
  // The process hears none of them any more. What counts is that none of them can end it.
  const signalOn = (): void => {
    if (server.exitCode === null && server.kill("SIGTERM")) setImmediate(signalOn);
  };
  server.stdout!.on("data", (text: Buffer) => void (text.includes("ending") && signalOn()));
  expect(await service.server.stop()).toBe(0);
  expect([server.signalCode, service.server.output()]).toEqual([
    null,
    expect.stringMatching(/ending/),
  ]);
});

test.each([
  ["head", "POST /v1/messages HTTP/1.1\r\nHost: x\r\n"],
  [
    "body",
    `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${rootKey}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"targetId"',
  ],
])("a client that stalls in its %s does not keep a stopping server", async (_part, sent) => {
  const service = await startService();
  const socket = connect(Number(new URL(service.server.url).port), "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(sent);
  // When the server answers this call, it has already read what the stalled client sent before.
  await service.api("GET", "/healthz", { key: null });
  expect(await service.server.stop()).toBe(0);
  socket.destroy();
});

test("after kill -9 and a restart, messages in flight or due meanwhile go out at once", async () => {
  const service = await startService();
  await addTarget(service);
  service.receiver.answerWith(() => {});
  const inFlight = await scheduleAt(service, inMs(0));
  const later = await scheduleAt(service, inMs(300));
  await service.receiver.received(1);
  await service.server.kill();
  service.receiver.answerWith((_, response) => response.writeHead(204).end());
  const again = await service.restart();
  await service.receiver.received(1, (receipt) => receipt.messageId === later);
  await service.receiver.received(2, (receipt) => receipt.messageId === inFlight);
  for (const messageId of [inFlight, later]) {
    await expect
      .poll(async () => (await again.api("GET", `/v1/messages/${messageId}`)).body.state)
      .toBe("DELIVERED");
  }
});

test("two servers cannot share a data folder", async () => {
  const service = await startService();
  await expect(service.restart()).rejects.toThrow(/in use by another Postdate process/);
});

test("a first start that fails does not use up the root key", async () => {
  const service = await startService();
  const taken = new URL(service.server.url).port;
  await using other = await makeDataDir();
  const options = { dataDir: other.path, env: { POSTDATE_ROOT_KEY: undefined } };
  await expect(startServerProcess({ ...options, args: ["--port", taken] })).rejects.toThrow(
    /in use/,
  );
  const second = await startServerProcess(options);
  await expect.poll(second.output).toMatch(/pd_[A-Za-z0-9_-]{43}/);
  await second.stop();
});

test("a wrong encryption key is reported at the start", async () => {
  const service = await startService();
  await addTarget(service);
  await service.server.stop();
  const env = { POSTDATE_ENCRYPTION_KEY: "00".repeat(32) };
  await expect(service.restart({ env })).rejects.toThrow(/encryption key does not fit/);
});
