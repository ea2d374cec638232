import { describe, expect, test } from "vitest";
import { createSiteOf } from "./site.ts";

const secure = (origin: string) => ({ origin, cookieName: "__Host-postdate", isSecure: true });
const loopback = (origin: string) => ({
  origin,
  cookieName: "postdate-loopback",
  isSecure: false,
});

describe("without a public URL", () => {
  const siteOf = createSiteOf(null);

  test.each([
    ["localhost:7070", "http://localhost:7070"],
    ["LOCALHOST", "http://localhost"],
    ["localhost:80", "http://localhost"],
    ["console.localhost:1", "http://console.localhost:1"],
    ["127.0.0.1:7070", "http://127.0.0.1:7070"],
    ["127.9.9.9", "http://127.9.9.9"],
    ["[::1]:7070", "http://[::1]:7070"],
  ])("%s over plain HTTP is this machine", (host, origin) => {
    expect(siteOf({ protocol: "http", host })).toEqual(loopback(origin));
  });

  test.each([
    ...["postdate.example", "192.0.2.1", "10.0.0.1:7070", "[::2]", "[::ffff:7f00:2]", "0.0.0.0"],
    ...["localhost.example", "127.0.0.1.example", "xlocalhost", "localhost@evil.example"],
    ...["evil.example/localhost", "evil.example#localhost", "", "a b", "localhost:99999"],
  ])("%s over plain HTTP is no place for sessions", (host) => {
    expect(siteOf({ protocol: "http", host })).toBeUndefined();
  });

  test("a host over TLS is its own origin, without the usual port", () => {
    const over = (host: string) => siteOf({ protocol: "https", host });
    expect(over("Postdate.example:443")).toEqual(secure("https://postdate.example"));
    expect(over("postdate.example:8443")).toEqual(secure("https://postdate.example:8443"));
    expect(over("localhost")).toEqual(secure("https://localhost"));
  });
});

test("a public URL with TLS decides, whatever the request says", () => {
  const siteOf = createSiteOf("https://postdate.example/prefix");
  for (const host of ["node-1:7070", "localhost", "postdate.example", ""]) {
    expect(siteOf({ protocol: "http", host })).toEqual(secure("https://postdate.example"));
  }
});

test("a public URL without TLS does not", () => {
  const siteOf = createSiteOf("http://postdate.example");
  expect(siteOf({ protocol: "http", host: "postdate.example" })).toBeUndefined();
  expect(siteOf({ protocol: "http", host: "localhost" })).toEqual(loopback("http://localhost"));
});
