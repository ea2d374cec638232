import { createServer, Socket, type AddressInfo, type TcpNetConnectOpts } from "node:net";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import type { Timers } from "../../platform/timers.ts";
import { connectToAny } from "./connect-to-any.ts";

/** Timers that fire when the test says so. */
function manualTimers() {
  const waiting: { readonly delayMs: number; readonly callback: () => void }[] = [];
  const timers: Timers = {
    after(delayMs, callback) {
      const timer = { delayMs, callback };
      waiting.push(timer);
      return { cancel: () => void (waiting.includes(timer) && waiting.splice(0)) };
    },
  };
  return { timers, waiting, pass: () => waiting.shift()?.callback() };
}

/** Real sockets whose handshakes end when the test says so. */
async function openRace(addressCount: number) {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const hosts: string[] = [];
  const accepted: Socket[] = [];
  server.on("connection", (socket) => accepted.push(socket));
  onTestFinished(async () => {
    for (const socket of [...sockets, ...accepted]) socket.destroy();
    server.close();
    await once(server, "close");
  });
  const outcome = Promise.withResolvers<Socket>();
  outcome.promise.catch(() => undefined);
  const { timers, waiting, pass } = manualTimers();
  const addresses = Array.from({ length: addressCount }, (_, index) => `127.0.0.${index + 1}`);
  const race = connectToAny({
    addresses,
    port,
    timers,
    connect(options: TcpNetConnectOpts) {
      const socket = new Socket();
      sockets.push(socket);
      hosts.push(options.host ?? "");
      return socket;
    },
    onConnect: outcome.resolve,
    onError: outcome.reject,
  });
  return {
    race,
    sockets,
    hosts,
    waiting,
    pass,
    outcome: outcome.promise,
    answer: (index: number) => sockets[index]!.connect(port, "127.0.0.1"),
    async fail(index: number) {
      const closed = once(sockets[index]!, "close").catch(() => undefined);
      sockets[index]!.destroy(new Error(`failed ${index}`));
      await closed;
    },
  };
}

test("one address needs no timer", async () => {
  const race = await openRace(1);
  expect(race.waiting).toHaveLength(0);
  race.answer(0);
  expect(await race.outcome).toBe(race.sockets[0]);
});

test("the next address starts after a delay, and the one before it continues", async () => {
  const race = await openRace(3);
  expect(race.hosts).toEqual(["127.0.0.1"]);
  expect(race.waiting.map(({ delayMs }) => delayMs)).toEqual([250]);
  race.pass();
  race.pass();
  expect(race.hosts).toEqual(["127.0.0.1", "127.0.0.2", "127.0.0.3"]);
  expect(race.waiting).toHaveLength(0);
  await race.fail(1);
  await race.fail(2);
  race.answer(0);
  expect(await race.outcome).toBe(race.sockets[0]);
});

test("the next address starts at once when one has failed", async () => {
  const race = await openRace(2);
  await race.fail(0);
  expect(race.hosts).toEqual(["127.0.0.1", "127.0.0.2"]);
  expect(race.waiting).toHaveLength(0);
  race.answer(1);
  expect(await race.outcome).toBe(race.sockets[1]);
});

test("the others close when one has connected", async () => {
  const race = await openRace(4);
  race.pass();
  race.pass();
  race.answer(1);
  const winner = await race.outcome;
  expect(race.sockets.map((socket) => socket.destroyed)).toEqual([true, false, true]);
  expect(winner).toBe(race.sockets[1]);
  expect(race.waiting).toHaveLength(0);
});

test("all close when the caller no longer waits", async () => {
  const race = await openRace(4);
  race.pass();
  race.race.destroy(new Error("over"));
  await expect(race.outcome).rejects.toThrow("over");
  expect(race.sockets.map((socket) => socket.destroyed)).toEqual([true, true]);
  expect(race.waiting).toHaveLength(0);
});

test("once all have failed, the first failure is reported", async () => {
  const race = await openRace(2);
  race.pass();
  await race.fail(1);
  await race.fail(0);
  await expect(race.outcome).rejects.toThrow("failed 1");
});

test("a name with many addresses opens sixteen sockets at most", async () => {
  const race = await openRace(100);
  while (race.waiting.length > 0) race.pass();
  expect(race.sockets).toHaveLength(16);
});
