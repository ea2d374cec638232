import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { rootKey } from "../support/server-process.ts";
import { addTarget, services } from "../support/service.ts";
import type { ServiceUnderTest } from "../support/service.ts";
import { farAway, patiently } from "../support/shared-service.ts";

const startService = services();
const megabyte = 1_048_576;

interface SlowRequest {
  readonly socket: Socket;
  /** Everything that the server has sent so far. */
  readonly text: () => string;
  readonly status: () => number | undefined;
}

/** Announces the length of its body and sends only the beginning. */
async function begin(
  { server }: ServiceUnderTest,
  path: string,
  bytes: number,
  beginning: string | Uint8Array,
): Promise<SlowRequest> {
  const { hostname, port } = new URL(server.url);
  let text = "";
  const socket = connect(Number(port), hostname);
  socket.on("data", (chunk) => (text += chunk.toString("latin1")));
  // A connection that is cut off while it sends has already received the reason.
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${rootKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
  );
  socket.write(beginning);
  return {
    socket,
    text: () => text,
    status: () => (text === "" ? undefined : Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1])),
  };
}

const inMany = <Value>(count: number, make: () => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, make));
const answered = (requests: readonly SlowRequest[]) =>
  requests.filter((request) => request.status() !== undefined);

async function shed({ api }: ServiceUnderTest, reason: string): Promise<number> {
  const { text } = await api("GET", "/metrics");
  const pattern = new RegExp(`^postdate_requests_shed_total\\{reason="${reason}"\\} (\\d+)$`, "m");
  return Number(pattern.exec(text)?.[1] ?? 0);
}

describe("more requests at once than --max-requests", () => {
  test("those beyond the limit are refused at once, and those under way finish", async () => {
    const service = await startService({ args: ["--max-requests", "23"] });
    await addTarget(service);
    const { api } = service;
    const body = JSON.stringify({ targetId: "t", deliveryTime: farAway, payload: "slow" });
    const slow = await inMany(60, () => begin(service, "/v1/messages", body.length, body[0]!));
    // One account has eight ninths of the places.
    await vi.waitUntil(() => answered(slow).length === 40, patiently);

    const turnedAway = answered(slow);
    for (const request of turnedAway) {
      expect(request.status()).toBe(503);
      expect(request.text()).toMatch(/\r\nretry-after: [123]\r\n/);
      const { errors } = JSON.parse(request.text().split("\r\n\r\n")[1]!);
      expect(errors).toEqual([
        { code: "E-DI-9002", message: expect.stringContaining("Retry-After") },
      ]);
    }
    expect((await api("GET", "/v1/keys")).status).toBe(503);
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      expect((await api("GET", path)).status).toBe(200);
    }
    expect(await shed(service, "requests")).toBe(41);

    const underWay = slow.filter((request) => request.status() === undefined);
    for (const { socket } of underWay) socket.write(body.slice(1));
    await vi.waitUntil(() => answered(underWay).length === 20, patiently);
    expect(new Set(underWay.map((request) => request.status()))).toEqual(new Set([200]));
    for (const { socket } of slow) socket.destroy();

    const afterwards = await inMany(15, () => api("GET", "/v1/targets/t/scheduled-messages"));
    expect(new Set(afterwards.map(({ status }) => status))).toEqual(new Set([200]));
    expect(afterwards[0]!.body.count).toBe(20);
    expect(service.server.output()).toMatch(/requests are turned away/);
  });
});

/** The resident memory of the process, in bytes. */
async function residentBytes({ server }: ServiceUnderTest): Promise<number> {
  const status = await readFile(`/proc/${server.process.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) * 1_024;
}

describe.runIf(process.platform === "linux")(
  "more bytes of bodies than fit into the process",
  () => {
    test(
      "twenty large batches at once, each without its last byte",
      { timeout: 60_000 },
      async () => {
        const service = await startService();
        await addTarget(service);
        const { api } = service;
        const before = await residentBytes(service);
        const nearlyAll = Buffer.alloc(15 * megabyte - 1, " ");
        nearlyAll.write("{");
        const sent: Promise<void>[] = [];
        const batches = await inMany(20, async () => {
          const batch = await begin(service, "/v1/messages/batch", 15 * megabyte, "");
          sent.push(new Promise((resolve) => batch.socket.write(nearlyAll, () => resolve())));
          return batch;
        });
        await Promise.all(sent);
        // Large bodies may use three quarters of 256 MiB, and one account half of that: six times 15.
        await vi.waitUntil(() => answered(batches).length === 14, patiently);
        expect(new Set(answered(batches).map((batch) => batch.status()))).toEqual(new Set([503]));
        expect(await shed(service, "bodies")).toBe(14);
        expect((await residentBytes(service)) - before).toBeLessThan(275 * megabyte);

        const single = { targetId: "t", deliveryTime: farAway, payload: "x".repeat(61_440) };
        expect((await api("POST", "/v1/messages", { body: single })).status).toBe(200);
        const large = { messages: Array.from({ length: 120 }, () => single) };
        expect((await api("POST", "/v1/messages/batch", { body: large })).status).toBe(503);

        const [first, ...others] = batches.filter((batch) => batch.status() === undefined);
        first!.socket.write("}");
        await vi.waitUntil(() => first!.status() === 400, patiently);
        for (const { socket } of others) socket.destroy();
        await vi.waitUntil(async () => {
          const answer = await api("POST", "/v1/messages/batch", { body: large });
          return answer.status === 200;
        }, patiently);
        for (const { socket } of batches) socket.destroy();
      },
    );
  },
);

describe("one body of the largest size with nothing but structure", () => {
  const filled = (unit: string) => {
    const text = unit.repeat(Math.floor((15.9 * megabyte) / unit.length));
    return `{"messages":[${text}{}]}`;
  };
  const names = () =>
    `{${Array.from({ length: 1_000_000 }, (_, index) => `"n${index}":1`).join(",")}}`;

  test("is refused by a process whose heap it would not fit", { timeout: 60_000 }, async () => {
    const service = await startService({ env: { NODE_OPTIONS: "--max-old-space-size=256" } });
    await addTarget(service);
    const tooMuch = [
      { body: filled("{},"), says: "at most 40,000 fields and entries" },
      { body: filled("[],"), says: "at most 40,000 fields and entries" },
      { body: names(), says: "an object may have at most 1,000 fields" },
    ];
    for (const { body, says } of tooMuch) {
      const answer = await service.api("POST", "/v1/messages/batch", { body });
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].message).toContain(says);
    }
    expect(service.server.process.exitCode).toBeNull();
    expect((await service.api("GET", "/v1/keys")).status).toBe(200);
  });
});
