import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { makeDataDir, startServerProcess } from "../support/server-process.ts";
import { patiently } from "../support/shared-service.ts";
import { startProgram } from "./failover/child-program.ts";
import { findHaproxy } from "./failover/debian-programs.ts";
import { freePorts } from "./failover/free-ports.ts";

const deploy = join(import.meta.dirname, "../../../../deploy");
const tokenRequests = 5;

let leftovers: AsyncDisposableStack;
let nodeUrl: string;
let balancerPort: number;

/** The rules as shipped, with only the addresses replaced by this machine's. */
async function shippedRules(port: number, node: string): Promise<string> {
  const shipped = await readFile(join(deploy, "haproxy/haproxy.cfg"), "utf8");
  return shipped
    .replace("bind :7070", `bind 127.0.0.1:${port}`)
    .replace(/^( *server node-1) .*$/m, `$1 ${node}`)
    .replaceAll(/^ *server node-[23] .*\n/gm, "")
    .replace(" resolvers names init-addr libc,none", "");
}

/** Returns the balancer's port once it has found the node ready. */
async function startBalancer(owned: AsyncDisposableStack, node: string): Promise<number> {
  const [port] = (await freePorts(1)) as [number];
  const folder = await mkdtemp(join(tmpdir(), "postdate-balancer-"));
  owned.defer(() => rm(folder, { recursive: true }));
  const file = join(folder, "haproxy.cfg");
  await writeFile(file, await shippedRules(port, node));
  const balancer = await startProgram({
    command: findHaproxy(),
    args: ["-db", "-f", file],
    account: undefined,
    folder,
    logFile: join(folder, "log"),
  });
  owned.defer(() => balancer.kill());
  await vi.waitFor(
    async () => expect((await ask({ path: "/readyz", port })).status).toBe(200),
    patiently,
  );
  return port;
}

beforeAll(async () => {
  await using started = new AsyncDisposableStack();
  const dataDir = started.use(await makeDataDir());
  const server = await startServerProcess({
    dataDir: dataDir.path,
    args: ["--trust-proxy", "127.0.0.1/32", "--token-request-limit", `${tokenRequests}/1h`],
  });
  started.defer(() => server.kill());
  nodeUrl = server.url;
  balancerPort = await startBalancer(started, new URL(server.url).host);
  leftovers = started.move();
}, 60_000);
afterAll(() => leftovers.disposeAsync());

interface Ask {
  readonly path: string;
  readonly method?: string;
  /** The address that the caller comes from. */
  readonly from?: string;
  /** The load balancer's port. The default is the one in front of the node. */
  readonly port?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server on a busy machine refuses some requests without any effect. This repeats them. */
async function unlessBusy<Answer extends { readonly status: number }>(
  call: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    const answer = await call();
    if (answer.status !== 503) return answer;
    await setTimeout(100);
  }
}

const ask = (request: Ask) => unlessBusy(() => askOnce(request));

/** Sends the request exactly as written, because an HTTP client would normalise the path. */
async function askOnce(request: Ask) {
  const { path, method = "GET", from = "127.0.0.2", port = balancerPort, headers = {} } = request;
  const socket = connect({ port, host: "127.0.0.1", localAddress: from });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  const closed = once(socket, "close");
  const lines = Object.entries({ host: "postdate", connection: "close", ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`${method} ${path} HTTP/1.1\r\n${head}\r\n`);
  await closed.catch(() => {});
  const text = Buffer.concat(chunks).toString("latin1");
  return { status: Number(text.slice(9, 12)), text };
}

const askForToken = (from: string, forwardedFor?: string) =>
  ask({
    path: "/oauth/token",
    method: "POST",
    from,
    headers: {
      "content-length": "0",
      "content-type": "application/x-www-form-urlencoded",
      ...(forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor }),
    },
  });

const hidden = [
  [
    "/metrics",
    "/metrics?x=1",
    "/metrics/",
    "/%6detrics",
    "/%6D%65trics",
    "//metrics",
    "/./metrics",
  ],
  [
    "/v1/../metrics",
    "/v1/%2e%2e/metrics",
    "/docs/../metrics",
    "/docs/%2e%2e%2fmetrics",
    "/v1//metrics",
  ],
  ["http://postdate/metrics", "http://postdate//metrics", "/METRICS", "/metrics%00", "/;/metrics"],
].flat();

test.each(hidden)("GET %s shows no metrics", async (path) => {
  const { status, text } = await ask({ path });
  expect(status, text).toBeGreaterThanOrEqual(400);
  expect(status, text).toBeLessThan(500);
  expect(text).not.toContain("postdate_");
});

test("callers reach what they need", async () => {
  for (const path of ["/healthz", "/readyz", "/openapi.json", "/.well-known/jwks.json"]) {
    expect([path, (await ask({ path })).status]).toEqual([path, 200]);
  }
  expect((await ask({ path: "/v1/targets" })).status).toBe(401);
  expect([200, 301, 302, 308]).toContain((await ask({ path: "/docs" })).status);
  expect((await ask({ path: "/console" })).status).toBe(302);
  expect((await ask({ path: "/nope" })).text).toContain("E-DI-1003");
  // The node itself still shows the metrics to a scraper.
  expect((await fetch(`${nodeUrl}/metrics`)).status).toBe(200);
});

test("each stranger has its own limit of token requests, and cannot choose another by a header", async () => {
  const first: number[] = [];
  for (let index = 0; index < tokenRequests; index++) {
    first.push((await askForToken("127.0.0.2", `127.0.0.3, 203.0.113.${index}`)).status);
  }
  expect(first).not.toContain(429);
  expect((await askForToken("127.0.0.2")).status).toBe(429);
  expect((await askForToken("127.0.0.2", "203.0.113.77")).status).toBe(429);
  expect((await askForToken("127.0.0.3")).status).not.toBe(429);
});

test("nodes learn the caller's real address, and nothing that the caller claims about it", async () => {
  await using owned = new AsyncDisposableStack();
  let heard: IncomingHttpHeaders = {};
  const node = createServer((request, response) => {
    if (request.url === "/healthz") heard = request.headers;
    response.end();
  }).listen(0, "127.0.0.1");
  owned.defer(() => node.close().closeAllConnections());
  await once(node, "listening");
  const port = await startBalancer(owned, `127.0.0.1:${(node.address() as AddressInfo).port}`);
  const said = Object.fromEntries(
    ["for", "host", "proto"].map((what) => [`x-forwarded-${what}`, "203.0.113.9"]),
  );
  expect((await ask({ path: "/healthz", port, headers: said })).status).toBe(200);
  const forwarded = Object.entries(heard).filter(([name]) => name.startsWith("x-forwarded"));
  expect(forwarded).toEqual([["x-forwarded-for", "127.0.0.2"]]);
});

test("in the compose file, nodes trust only the load balancer's address", async () => {
  const compose = await readFile(join(deploy, "compose.yaml"), "utf8");
  const trusted = /POSTDATE_TRUST_PROXIES: (\S+)\/32$/m.exec(compose)?.[1];
  const balancerAddress = /load-balancer:[\s\S]*?ipv4_address: (\S+)$/m.exec(compose)?.[1];
  expect(trusted).toBeDefined();
  expect(balancerAddress).toBe(trusted);
});
