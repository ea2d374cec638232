import { beforeEach, describe, expect, test } from "vitest";
import { rawRequest } from "../support/raw-request.ts";
import { rootKey } from "../support/server-process.ts";
import { farAway } from "../support/shared-service.ts";
import type { ScriptedTarget } from "../support/shared-service.ts";
import { statusesIn } from "./statuses-in.ts";
import type { Subject } from "./subject.ts";

/**
 * Requests that two servers in a chain might read differently. The scheduled messages show whether a
 * request had an effect.
 */
export function smugglingSuite({ service }: Subject): void {
  let target: ScriptedTarget;
  beforeEach(async () => {
    target = await service.target();
  });

  const bodyText = (payload: string): string =>
    JSON.stringify({ targetId: target.targetId, deliveryTime: farAway, payload });
  const head = (...lines: readonly string[]): string =>
    [
      "POST /v1/messages HTTP/1.1",
      ...["Host: x", `Authorization: Bearer ${rootKey}`, "Content-Type: application/json"],
      ...lines,
      "\r\n",
    ].join("\r\n");
  const chunked = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  /** A complete request inside another one, which the server must never treat as a request. */
  const smuggled = (): string => {
    const text = bodyText("smuggled");
    return head(`Content-Length: ${text.length}`, "Connection: close") + text;
  };
  const send = (request: string) => rawRequest(service.server.url, Buffer.from(request, "latin1"));
  const scheduled = async (): Promise<string[]> => {
    const { items } = await service.ok(
      "GET",
      `/v1/targets/${target.targetId}/scheduled-messages?limit=100`,
    );
    return Promise.all(
      items.map(
        async ({ messageId }: { messageId: string }) =>
          (await service.ok("GET", `/v1/messages/${messageId}/payload`)).payload,
      ),
    );
  };
  const expectRefusedWhole = async (request: string): Promise<void> => {
    const answer = await send(request);
    expect(statusesIn(answer), answer).toEqual([400]);
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(answer).toContain('"code":"E-DI-1001"');
    expect(await scheduled()).toEqual([]);
  };

  describe("an ambiguous length has no effect and ends the connection", () => {
    test.each<[string, string[], "plain" | "chunked"]>([
      ["both", ["Content-Length: {n}", "Transfer-Encoding: chunked"], "chunked"],
      ["both, the other way round", ["Transfer-Encoding: chunked", "Content-Length: {n}"], "plain"],
      ["both, with none", ["Content-Length: 0", "Transfer-Encoding: chunked"], "chunked"],
      ["two lengths", ["Content-Length: {n}", "Content-Length: 0"], "plain"],
      ["two lengths that agree", ["Content-Length: {n}", "Content-Length: {n}"], "plain"],
      ["a list of lengths", ["Content-Length: {n}, {n}"], "plain"],
      ["a length with a sign", ["Content-Length: +{n}"], "plain"],
      ["a length with a fraction", ["Content-Length: {n}.0"], "plain"],
      ["a length too large for a number", ["Content-Length: 99999999999999999999999"], "plain"],
      ["xchunked", ["Transfer-Encoding: xchunked"], "chunked"],
      ["chunked and another", ["Transfer-Encoding: chunked, identity"], "chunked"],
      ["identity", ["Transfer-Encoding: identity", "Content-Length: {n}"], "plain"],
      ["twice", ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], "chunked"],
      ["twice the same", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], "chunked"],
      ["with quotation marks", ['Transfer-Encoding: "chunked"'], "chunked"],
      ["behind a vertical tab", ["Transfer-Encoding: \x0bchunked"], "chunked"],
      ["before a NUL", ["Transfer-Encoding: chunked\0"], "chunked"],
      ["a space before the colon", ["Transfer-Encoding : chunked"], "chunked"],
      ["a tab before the colon", ["Content-Length\t: {n}"], "plain"],
      ["a space before the name", ["X-A: b", " Transfer-Encoding: chunked"], "chunked"],
      ["a folded line", ["Transfer-Encoding:\r\n chunked"], "chunked"],
      ["another folded line", ["X-A: b\r\n\tTransfer-Encoding: chunked"], "chunked"],
      ["a bare line feed", ["X-A: b\nTransfer-Encoding: chunked"], "chunked"],
      ["a bare carriage return", ["X-A: b\rTransfer-Encoding: chunked"], "chunked"],
      ["no colon", ["Transfer-Encoding chunked"], "chunked"],
      ["no name", [": chunked"], "plain"],
    ])("%s", async (_, lines, form) => {
      const text = bodyText("first");
      const numbered = lines.map((line) => line.replaceAll("{n}", String(text.length)));
      const body = form === "chunked" ? chunked(text) : text;
      await expectRefusedWhole(head(...numbered) + body + smuggled());
    });

    test.each([
      ["of no size", (text: string) => `z\r\n${text}\r\n0\r\n\r\n`],
      [
        "of a size with 0x",
        (text: string) => `0x${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
      ],
      ["of a negative size", (text: string) => `-1\r\n${text}\r\n0\r\n\r\n`],
      ["of a size too large for a number", (text: string) => `1${"0".repeat(16)}\r\n${text}`],
      ["longer than its size", (text: string) => `1\r\n${text}\r\n0\r\n\r\n`],
      [
        "that ends with only a line feed",
        (text: string) => `${text.length.toString(16)}\n${text}\n0\n\n`,
      ],
      [
        "with a bad extension",
        (text: string) => `${text.length.toString(16)};a\n\r\n${text}\r\n0\r\n\r\n`,
      ],
      [
        "with an endless extension",
        (text: string) =>
          `${text.length.toString(16)};${"a".repeat(20_000)}\r\n${text}\r\n0\r\n\r\n`,
      ],
    ])("a chunk %s", async (_, write) => {
      const request = head("Transfer-Encoding: chunked") + write(bodyText("first")) + smuggled();
      await expectRefusedWhole(request);
    });

    test("lines that end with a line feed alone", async () => {
      const text = bodyText("first");
      const request = head(`Content-Length: ${text.length}`).replaceAll("\r\n", "\n") + text;
      await expectRefusedWhole(request + smuggled());
    });
  });

  describe("an unambiguous request is read correctly", () => {
    test("a request inside a body is part of the body", async () => {
      const inner = bodyText("smuggled");
      const payload = head(`Content-Length: ${inner.length}`) + inner;
      const text = bodyText(payload);
      const length = `Content-Length: ${Buffer.byteLength(text)}`;
      expect(statusesIn(await send(head(length, "Connection: close") + text))).toEqual([200]);
      expect(await scheduled()).toEqual([payload]);
    });

    test("two requests in a row both take effect", async () => {
      const text = bodyText("first");
      const answer = await send(head("Transfer-Encoding: chunked") + chunked(text) + smuggled());
      expect(statusesIn(answer)).toEqual([200, 200]);
      expect((await scheduled()).toSorted()).toEqual(["first", "smuggled"]);
    });

    test("bytes after Connection: close are ignored", async () => {
      const text = bodyText("first");
      const first = head(`Content-Length: ${text.length}`, "Connection: close") + text;
      expect(statusesIn(await send(first + smuggled()))).toEqual([200]);
      expect(await scheduled()).toEqual(["first"]);
    });

    test("a valid request is answered even if nonsense follows it", async () => {
      const text = bodyText("first");
      const first = head(`Content-Length: ${text.length}`) + text;
      const answer = await send(`${first}NONSENSE\r\n\r\n`);
      expect(statusesIn(answer), answer).toEqual([200, 400]);
      expect(await scheduled()).toEqual(["first"]);
    });

    test("a valid request is answered even if the next one breaks off in its body", async () => {
      const text = bodyText("first");
      const first = head(`Content-Length: ${text.length}`) + text;
      const answer = await send(`${first}${head("Transfer-Encoding: chunked")}z\r\n`);
      expect(statusesIn(answer), answer).toEqual([200, 400]);
      expect(await scheduled()).toEqual(["first"]);
    });

    test("the body of a GET is not read as the next request", async () => {
      const inner = smuggled();
      const get = head(`Content-Length: ${inner.length}`, "Connection: close").replace(
        /^POST \S+/,
        "GET /v1/keys",
      );
      expect(statusesIn(await send(get + inner))).toEqual([200]);
      expect(await scheduled()).toEqual([]);
    });

    test("the body of a refused request is not read as the next request", async () => {
      const inner = smuggled();
      const refused = head(`Content-Length: ${inner.length}`).replace(rootKey, "pd_unknown");
      const last = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
      expect(statusesIn(await send(refused + inner + last))).toEqual([401, 200]);
      expect(await scheduled()).toEqual([]);
    });

    test("a credential after the body does not count", async () => {
      const request = head("Transfer-Encoding: chunked", "Connection: close")
        .replace(`Authorization: Bearer ${rootKey}\r\n`, "")
        .concat(chunked(bodyText("first")).slice(0, -2))
        .concat(`Authorization: Bearer ${rootKey}\r\n\r\n`);
      expect(statusesIn(await send(request))).toEqual([401]);
      expect(await scheduled()).toEqual([]);
    });
  });
}
