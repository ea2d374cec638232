import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { sharedTestApi } from "../testing/shared-test-api.ts";

const api = sharedTestApi();

async function get(url: string, headers: Record<string, string> = {}) {
  return api.call({ key: null, url, headers });
}

async function scriptUrl(): Promise<string> {
  const page = await get("/docs/");
  const [, address] = /<script[^>]* src="([^"]+)"/.exec(page.body) ?? [];
  return new URL(address!, "http://postdate.test/docs/").pathname;
}

test("the script of /docs is sent compressed, and is the same in every encoding", async () => {
  const url = await scriptUrl();
  const plain = await get(url, { "accept-encoding": "identity" });
  const brotli = await get(url, { "accept-encoding": "gzip, deflate, br" });
  const gzip = await get(url, { "accept-encoding": "gzip, deflate" });
  expect(plain.headers["content-encoding"]).toBeUndefined();
  expect(plain.rawPayload.length).toBeGreaterThan(1_000_000);
  expect(brotli.headers["content-encoding"]).toBe("br");
  expect(gzip.headers["content-encoding"]).toBe("gzip");
  expect(brotliDecompressSync(brotli.rawPayload).equals(plain.rawPayload)).toBe(true);
  expect(gunzipSync(gzip.rawPayload).equals(plain.rawPayload)).toBe(true);
  expect(brotli.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3);
  for (const answer of [plain, brotli, gzip]) {
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["vary"]).toBe("accept-encoding");
    expect(answer.headers["content-type"]).toMatch(/^application\/javascript/);
    expect(answer.headers["content-length"]).toBe(String(answer.rawPayload.length));
  }
});

test("a file with a hash in its name is kept for ever, the page is revalidated", async () => {
  const script = await get(await scriptUrl());
  expect(script.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  const page = await get("/docs/");
  expect(page.headers["cache-control"]).toBe("no-cache");
  expect(await get("/docs/js/scalar-0000.js")).toMatchObject({ statusCode: 404 });
});

test.each(["/docs/", "/openapi.json"])("%s is compressed and revalidated as well", async (url) => {
  const first = await get(url, { "accept-encoding": "br" });
  expect(first.headers["content-encoding"]).toBe("br");
  const etag = String(first.headers.etag);
  expect(etag).toMatch(/^"[^"]+"$/);
  const again = await get(url, { "accept-encoding": "br", "if-none-match": `"x", W/${etag}` });
  expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, "", etag]);
  expect(again.headers["vary"]).toBe("accept-encoding");
  // Each encoding has its own bytes, and so its own tag.
  const gzip = await get(url, { "accept-encoding": "gzip", "if-none-match": etag });
  expect([gzip.statusCode, gzip.headers["content-encoding"]]).toEqual([200, "gzip"]);
  expect((await get(url, { "if-none-match": "*" })).statusCode).toBe(304);
});

test("/docs offers the API key first", async () => {
  const page = await get("/docs/", { "accept-encoding": "identity" });
  expect(page.body).toMatch(/"preferredSecurityScheme":\s*"apiKey"/);
});
