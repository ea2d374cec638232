import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApi, type TestApi } from "../testing/open-test-api.ts";

const place = mkdtempSync(join(tmpdir(), "postdate-console-"));
const script = "console.info(1);\n".repeat(50);
let api: TestApi;
beforeAll(async () => {
  api = await openTestApi({ consoleFolder: join(place, "built") });
});
afterAll(async () => {
  await api.close();
  rmSync(place, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) =>
  api.call({ key: null, url, headers });

test("without a built console, a plain page says how to build it; once it is built, it is served", async () => {
  const page = await get("/console/");
  expect(page.statusCode).toBe(503);
  expect(page.headers["content-type"]).toBe("text/plain; charset=utf-8");
  expect(page.body).toContain("npm run build:console");
  build();
  expect((await get("/console/")).statusCode).toBe(200);
});

function build(): void {
  const assets = join(place, "built/assets");
  mkdirSync(assets, { recursive: true });
  writeFileSync(
    join(place, "built/index.html"),
    '<meta property="csp-nonce" nonce="%NONCE%" /><script src="./assets/index-abc.js"></script>',
  );
  writeFileSync(join(place, "built/sources"), "a stamp");
  writeFileSync(join(assets, "index-abc.js"), script);
  writeFileSync(join(assets, "index-abc.js.gz"), gzipSync(script));
  writeFileSync(join(assets, "index-abc.js.br"), "in brotli");
}

test("the page has a new nonce each time, which its policy names, and nobody keeps it", async () => {
  const [one, other] = [await get("/console/"), await get("/console/")];
  const nonceOf = ({ body }: { body: string }): string => /nonce="([\w-]{22})"/.exec(body)![1]!;
  expect(nonceOf(one)).not.toBe(nonceOf(other));
  expect(one.headers["content-security-policy"]).toBe(
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonceOf(one)}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(one.headers["cache-control"]).toBe("no-store");
  expect(one.headers["content-type"]).toBe("text/html; charset=utf-8");
});

test.each([
  ["/console/", "./"],
  ["/console/messages?state=SCHEDULED", "./"],
  ["/console/messages/a%2Fb", "../"],
  ["/console/targets/mail/", "../../"],
])("the page at %s finds its files below any prefix of a proxy", async (url, up) => {
  expect((await get(url)).body).toContain(`src="${up}assets/index-abc.js"`);
});

test("the bare path leads to the folder without naming a prefix, and keeps the query", async () => {
  for (const [url, location] of [
    ["/console", "console/"],
    ["/console?zone=UTC", "console/?zone=UTC"],
  ]) {
    const answer = await get(url!);
    expect([answer.statusCode, answer.headers.location]).toEqual([302, location]);
  }
});

test("a file is kept for ever, in the encoding that was built, and answered 304 if it is known", async () => {
  const url = "/console/assets/index-abc.js";
  const plain = await get(url);
  expect(plain.body).toBe(script);
  expect(plain.headers).toMatchObject({
    "cache-control": "public, max-age=31536000, immutable",
    "content-type": "text/javascript; charset=utf-8",
    vary: "accept-encoding",
  });
  const gzip = await get(url, { "accept-encoding": "gzip" });
  expect(gunzipSync(gzip.rawPayload).toString()).toBe(script);
  const brotli = await get(url, { "accept-encoding": "gzip, br" });
  expect([brotli.headers["content-encoding"], brotli.body]).toEqual(["br", "in brotli"]);
  const known = await get(url, {
    "accept-encoding": "br",
    "if-none-match": String(brotli.headers.etag),
  });
  expect([known.statusCode, known.body]).toEqual([304, ""]);
  const head = await api.call({ key: null, method: "HEAD", url });
  expect([head.statusCode, head.body]).toEqual([200, ""]);
  expect(head.headers["content-length"]).toBe(String(script.length));
});

test.each([
  "/console/assets/index-other.js",
  "/console/assets/index-abc.js.gz",
  "/console/assets/..%2Fsources",
  `/console/${"a/".repeat(9)}`,
])("there is nothing at %s", async (url) => {
  expect((await get(url)).statusCode).toBe(404);
});

test("only reading is allowed", async () => {
  const answer = await api.call({ key: null, method: "POST", url: "/console/messages", body: {} });
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, "GET, HEAD"]);
});
