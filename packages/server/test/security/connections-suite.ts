import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { rawRequest } from "../support/raw-request.ts";
import { rootKey } from "../support/server-process.ts";
import { statusesIn } from "./statuses-in.ts";
import type { Subject } from "./subject.ts";

/**
 * Requests of unusual form, requests that are too long, and bytes that are no request. Slow senders are in
 * `src/http/load/connections.test.ts`, where the times can be short.
 */
export function connectionsSuite({ service }: Subject): void {
  const send = (request: string) => rawRequest(service.server.url, Buffer.from(request, "latin1"));

  const asking = (line: string, ...lines: string[]): string =>
    [
      line,
      "Host: x",
      `Authorization: Bearer ${rootKey}`,
      "Connection: close",
      ...lines,
      "\r\n",
    ].join("\r\n");

  describe("request targets of another form", () => {
    test.each([
      ["GET http://other.example/v1/nothing HTTP/1.1", [404]],
      ["GET //other.example/v1/keys HTTP/1.1", [404]],
      ["GET * HTTP/1.1", [404]],
      ["OPTIONS * HTTP/1.1", [404]],
      ["GET v1/keys HTTP/1.1", [400]],
      ["GET /v1/../v1/keys HTTP/1.1", [404]],
      ["GET /v1/%2e%2e/v1/keys HTTP/1.1", [404]],
      ["GET /v1/keys;x=1 HTTP/1.1", [404]],
      ["GET /v1\\keys HTTP/1.1", [404]],
      ["GET /v1/keys\t HTTP/1.1", [400]],
      ["GET /v1/keys HTTP/9.9", [400]],
      ["GET /v1/keys HTTP/2.0", [400]],
      ["GET /v1/keys HTTP/0.9", [400]],
      ["get /v1/keys HTTP/1.1", [400]],
      ["G\0T /v1/keys HTTP/1.1", [400]],
      ["BREW /v1/keys HTTP/1.1", [400]],
      ["TRACE /v1/keys HTTP/1.1", [405]],
      ["PRI * HTTP/2.0", [400]],
    ])("%j", async (line, statuses) => {
      const answer = await send(asking(line));
      expect(statusesIn(answer), answer).toEqual(statuses);
      expect(answer).not.toContain("key_root");
    });

    test("CONNECT and upgrades are refused", async () => {
      const connected = await send(asking("CONNECT 127.0.0.1:22 HTTP/1.1")).catch(() => "");
      expect(connected).not.toMatch(/^HTTP\/1\.1 2/);
      const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
      const upgraded = await send(
        asking("GET /healthz HTTP/1.1", ...upgrade, "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="),
      );
      expect(statusesIn(upgraded)).toEqual([200]);
    });

    test("requests without a Host, or with two", async () => {
      const hosts = [
        ["", 400],
        ["Host: x\r\nHost: y\r\n", 400],
      ] as const;
      for (const [lines, status] of hosts) {
        const answer = await send(`GET /healthz HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`);
        expect(statusesIn(answer), lines).toEqual([status]);
      }
    });
  });

  describe("requests that are too long, and bytes that are no request", () => {
    test.each([
      ["a header of 64 KiB", `X-A: ${"a".repeat(65_536)}`, [431]],
      ["a header's name of 64 KiB", `${"a".repeat(65_536)}: 1`, [431]],
      [
        "10,000 headers",
        Array.from({ length: 10_000 }, (_, index) => `X-${index}: 1`).join("\r\n"),
        [431],
      ],
      ["2,000 empty headers", Array.from({ length: 2_000 }, () => "X:").join("\r\n"), [431]],
    ])("%s", async (_, lines, statuses) => {
      const { targetId } = await service.target();
      const answer = await send(asking(`POST /v1/targets/${targetId}/pause HTTP/1.1`, lines));
      expect(statusesIn(answer), answer).toEqual(statuses);
      expect((await service.ok("GET", `/v1/targets/${targetId}`)).paused).toBe(false);
    });

    test.each([
      ["HTTP/0.9", "GET /v1/keys\r\n\r\n"],
      ["blanks", " ".repeat(1_000)],
      [
        "noise",
        Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 167) % 256)).toString(
          "latin1",
        ),
      ],
      ["NULs", "\0".repeat(4_096)],
      ["the beginning of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
      ["the beginning of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
      ["another protocol", "*1\r\n$4\r\nINFO\r\n"],
      ["a mail", "EHLO x\r\nMAIL FROM:<a@b>\r\n"],
      ["the PROXY protocol", "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET /healthz HTTP/1.1\r\n\r\n"],
    ])("%s", async (_, bytes) => {
      const answer = await send(bytes);
      expect(statusesIn(answer), answer).toEqual([400]);
      expect(answer).toContain('"code":"E-DI-1001"');
    });
  });

  test("a caller that does not read its answers delays no other caller", async () => {
    const { hostname, port } = new URL(service.server.url);
    const deaf = Array.from({ length: 8 }, () => connect(Number(port), hostname).pause());
    for (const socket of deaf) {
      socket.on("error", () => {});
      socket.write("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(10));
    }
    const target = await service.target();
    for (let count = 0; count < 20; count++) await target.schedule();
    await target.received(20);
    expect(deaf.every((socket) => !socket.destroyed)).toBe(true);
    await Promise.all(deaf.map((socket) => once(socket.destroy(), "close")));
  });
}
