import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import { services } from "../support/service.ts";
import type { ServiceUnderTest } from "../support/service.ts";
import { sharedService } from "../support/shared-service.ts";

const args = ["--metrics-port", "0"];
const shared = sharedService({ args });
const startService = services();

function metricsUrlOf({ server }: Pick<ServiceUnderTest, "server">): string {
  const found = /"metricsUrl":"(http:[^"]+)"/.exec(server.output());
  if (found === null) throw new Error(`no address of the metrics in:\n${server.output()}`);
  return found[1]!;
}

test("with a separate port, the metrics are only there, until the server stops", async () => {
  const service = await startService({ args });
  const url = metricsUrlOf(service);
  expect(new URL(url).hostname).toBe("127.0.0.1");
  const answer = await fetch(`${url}/metrics`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    expect.stringMatching(/^text\/plain/),
  ]);
  expect(await answer.text()).toMatch(/^postdate_in_flight 0$/m);
  expectRefusal(await service.api("GET", "/metrics", { key: null }), 404, { code: "E-DI-1003" });
  for (const path of ["/", "/healthz", "/v1/targets", "/metrics/", "/metrics?x=1", "/%6detrics"]) {
    const other = await fetch(url + path);
    expect([path, other.status]).toEqual([path, path === "/metrics?x=1" ? 200 : 404]);
  }
  expect((await fetch(`${url}/metrics`, { method: "POST", body: "x" })).status).toBe(405);
  expect(await service.server.stop()).toBe(0);
  await expect(fetch(`${url}/metrics`)).rejects.toThrow();
});

test.each(["", "expect: x\r\n"])(
  "the metrics port closes a connection that sends many requests and reads no answers %j",
  async (header) => {
    const { hostname, port } = new URL(metricsUrlOf(shared));
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    const received: Buffer[] = [];
    socket.on("data", (piece: Buffer) => void received.push(piece));
    socket.on("error", () => {});
    socket.write(`GET /metrics HTTP/1.1\r\nhost: x\r\n${header}\r\n`.repeat(1_000));
    await once(socket, "close");
    const answers =
      Buffer.concat(received)
        .toString()
        .match(/HTTP\/1.1 \d/g) ?? [];
    expect(answers.length).toBeLessThan(20);
  },
);

test("a metrics port that is in use is named with its option", async () => {
  const { port } = new URL(metricsUrlOf(shared));
  await expect(startService({ args: ["--metrics-port", port] })).rejects.toThrow(
    `Port ${port} for the metrics is in use.`,
  );
});

test("the metrics port accepts a limited number of connections", async () => {
  const { hostname, port } = new URL(metricsUrlOf(shared));
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  let closed = 0;
  const eightClosed = Promise.withResolvers<void>();
  for (let index = 0; index < 40; index++) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.once("close", () => ++closed === 8 && eightClosed.resolve());
    sockets.push(socket);
    await once(socket, "connect");
  }
  await eightClosed.promise;
  expect((await shared.api("GET", "/healthz", { key: null })).status).toBe(200);
});
