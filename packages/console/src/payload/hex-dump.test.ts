import { expect, test } from "vitest";
import { hexDump } from "./hex-dump.ts";

test("each line has sixteen bytes", () => {
  expect(hexDump(new TextEncoder().encode("Grüße,\nPostdate here"))).toBe(
    `000000  47 72 c3 bc c3 9f 65 2c 0a 50 6f 73 74 64 61 74  Gr····e,·Postdat
000010  65 20 68 65 72 65                                e here`,
  );
});
