import { expect, test } from "vitest";
import { chooseEncoding } from "./accept-encoding.ts";

test.each([
  [undefined, "identity"],
  ["", "identity"],
  ["gzip", "gzip"],
  ["gzip, deflate, br, zstd", "br"],
  ["br;q=0.5, gzip;q=0.8", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["BR", "br"],
  ["x-gzip", "gzip"],
  ["*", "br"],
  ["*;q=0", "identity"],
  ["identity;q=1, br;q=0.5", "identity"],
  ["br;q=0.5, *;q=0.9", "gzip"],
  ["gzip;q=0, br;q=0", "identity"],
  ["br;q=nonsense, gzip", "gzip"],
  ["br;q=2, gzip", "gzip"],
  ["deflate", "identity"],
  [" gzip ; q=1.000 ", "gzip"],
  ["identity;q=0, gzip;q=0.1", "gzip"],
])("%j gets %s", (header, encoding) => {
  expect(chooseEncoding(header)).toBe(encoding);
});
