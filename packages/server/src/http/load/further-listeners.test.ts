import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import type { HttpOptions } from "../http-options.ts";
import { openTestApi } from "../testing/open-test-api.ts";
import type { TestApi } from "../testing/open-test-api.ts";
import { connectRaw, head } from "../testing/raw-connection.ts";
import type { RawConnection } from "../testing/raw-connection.ts";
import { listenOnEveryAddress } from "./further-listeners.ts";
import type { ShedReason } from "./shed-load.ts";

const [first, second] = ["127.0.0.1", "127.0.0.2"];

let api: TestApi;
let shed: ShedReason[];
let isClosed: boolean;
const connections: RawConnection[] = [];
afterEach(async () => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  api.app.server.closeAllConnections();
  if (!isClosed) await api.close();
});

interface Changes extends Partial<HttpOptions> {
  readonly maxRequests?: number;
  readonly trustProxies?: readonly string[];
  readonly addresses?: readonly string[];
}

async function open(changes: Changes = {}): Promise<void> {
  const {
    maxRequests = 1_000,
    trustProxies = [],
    addresses = [first, second],
    ...others
  } = changes;
  shed = [];
  isClosed = false;
  api = await openTestApi({
    observer: { shed: (reason) => void shed.push(reason), limited() {}, answered() {} },
    limits: {
      maxRequests,
      maxLoopDelayMs: Infinity,
      tokenRequestLimit: { max: 100_000, intervalMs: 1_000 },
      trustProxies,
      publicUrl: null,
    },
    ...others,
  });
  const addressesOf = async () => addresses;
  await listenOnEveryAddress(api.app, { host: "localhost", port: 0, addressesOf });
}

async function connectTo(host: string, localAddress = first): Promise<RawConnection> {
  const connection = await connectRaw(api.app, { host, localAddress });
  connections.push(connection);
  return connection;
}

async function close(): Promise<void> {
  isClosed = true;
  await api.close();
}

test("each address of the host is answered on", async () => {
  await open();
  for (const host of [first, second]) {
    const connection = await connectTo(host);
    connection.send(head("GET", "/healthz"));
    expect(await connection.received(/"status":"ok"/)).toMatch(/^HTTP\/1.1 200 /);
  }
});

test("requests that are sent before the answers were read are bounded on each", async () => {
  await open();
  for (const host of [first, second]) {
    const hasty = await connectTo(host);
    hasty.send(head("GET", "/nope").repeat(1_500));
    await hasty.closed;
  }
  expect(shed).toEqual(["pipelines", "pipelines"]);
});

test("connections are shared over all of them together, by address", async () => {
  // Ten connections, eight of them for one address.
  await open({ maxRequests: 2 });
  for (let count = 0; count < 4; count++) {
    for (const host of [first, second]) await connectTo(host);
  }
  expect(shed).toEqual([]);
  for (const host of [first, second]) await (await connectTo(host)).closed;
  expect(shed).toEqual(["connections", "connections"]);
  const other = await connectTo(second, "127.0.0.3");
  other.send(head("GET", "/healthz"));
  await other.received(/"status":"ok"/);
});

test("connections of a proxy are bounded over all of them together", async () => {
  await open({ maxRequests: 2, trustProxies: ["127.0.0.1/32"] });
  for (let count = 0; count < 5; count++) {
    for (const host of [first, second]) await connectTo(host);
  }
  expect(shed).toEqual([]);
  for (const host of [first, second]) await (await connectTo(host)).closed;
  expect(shed).toEqual(["connections", "connections"]);
});

test("a body that does not come on is cut, and nonsense is answered, on each", async () => {
  const timeLimits = {
    headersMs: 150,
    requestMs: 60_000,
    bodyQuietMs: 50,
    keepAliveMs: 60_000,
    quietMs: 60_000,
    lookEveryMs: 20,
  };
  await open({ timeLimits });
  const authorization = `Bearer ${api.rootKey}`;
  const headers = { authorization, "content-type": "application/json", "content-length": 100 };
  for (const host of [first, second]) {
    const stalled = await connectTo(host);
    stalled.send(`${head("POST", "/v1/keys", headers)}{"name":`);
    expect(await stalled.closed).toMatch(/^HTTP\/1.1 408 [^]*E-DI-1001/);
    const endless = await connectTo(host);
    endless.send("GET /healthz HTTP/1.1\r\nhost: x\r\n");
    expect(await endless.closed).toMatch(/^HTTP\/1.1 408 [^]*E-DI-1001/);
    const confused = await connectTo(host);
    confused.send("nonsense\r\n\r\n");
    expect(await confused.closed).toMatch(/^HTTP\/1.1 400 [^]*E-DI-1001/);
  }
});

test("all of them close with the server, which waits for requests under way on each", async () => {
  const readiness = Promise.withResolvers<{ ready: boolean; reasons: string[] }>();
  await open({ readiness: () => readiness.promise });
  const { port } = api.app.server.address() as AddressInfo;
  const idle = await connectTo(second);
  idle.send(head("GET", "/healthz"));
  await idle.received(/"status":"ok"/);
  const busy = await connectTo(second);
  busy.send(head("GET", "/readyz", { connection: "close" }));
  await vi.waitUntil(() => busy.peer!.bytesRead > 0, { timeout: 20_000 });

  const closed = close();
  await idle.closed;
  const late = connect({ host: second, port });
  await expect(once(late, "connect")).rejects.toThrow("ECONNREFUSED");
  let isOver = false;
  void closed.then(() => (isOver = true));
  expect(isOver).toBe(false);
  readiness.resolve({ ready: true, reasons: [] });
  expect(await busy.closed).toMatch(/^HTTP\/1.1 200 /);
  await closed;
});

test("an address that cannot be had is passed over", async () => {
  await open({ addresses: [first, first] });
  expect(api.app.furtherListeners.size).toBe(0);
  const connection = await connectTo(first);
  connection.send(head("GET", "/healthz"));
  expect(await connection.received(/"status":"ok"/)).toMatch(/^HTTP\/1.1 200 /);
});
