import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { systemTimers } from "../../platform/timers.ts";
import { fetchDocument } from "./fetch-document.ts";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close().closeAllConnections();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const fetchFrom = (url: string, timeoutMs = 5_000) =>
  fetchDocument(url, { timers: systemTimers, timeoutMs });

test("reads JSON in UTF-8", async () => {
  const url = await serve((_, response) => response.end('{"a":"ü😀"}'));
  expect(await fetchFrom(url)).toEqual({ a: "ü😀" });
});

test("gives up on a server that does not answer, or not completely", async () => {
  const silent = await serve(() => {});
  await expect(fetchFrom(silent, 30)).rejects.toThrow("has not answered in 30 ms");
  const slow = await serve((_, response) => void response.write('{"a":'));
  await expect(fetchFrom(slow, 30)).rejects.toThrow("has not answered in 30 ms");
});

test("stops reading when a document is too long", async () => {
  let open = true;
  const url = await serve((_, response) => {
    response.on("close", () => (open = false));
    const more = (): void => {
      if (open) response.write(" ".repeat(65_536), more);
    };
    more();
  });
  await expect(fetchFrom(url)).rejects.toThrow("more than 262144 bytes");
  await expect.poll(() => open).toBe(false);
});

test.each([204, 301, 400, 500])("status %i is an error", async (status) => {
  const url = await serve((_, response) =>
    response.writeHead(status, { location: "/other" }).end(status === 204 ? "" : "{}"),
  );
  await expect(fetchFrom(url)).rejects.toThrow(`answered ${status}`);
});
