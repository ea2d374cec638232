import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createLogger } from "../../platform/logger.ts";
import { startLevel } from "./start-level.ts";

test.each([
  ["info", "auto", true, false],
  ["debug", "auto", true, true],
  ["info", "pretty", false, false],
  ["info", "auto", false, true],
  ["info", "json", true, true],
] as const)(
  "with --log-level %s and --log-format %s, on a terminal: %s, settings are shown: %s",
  (level, format, isTTY, areShown) => {
    let written = "";
    const stream = Object.assign(
      new Writable({
        write(chunk, _encoding, done) {
          written += String(chunk);
          done();
        },
      }),
      { isTTY },
    );
    const identity = { node: "embedded", pid: 7, version: "1.2.3" };
    const logger = createLogger({ level, format, stream, identity });
    logger[startLevel({ logFormat: format }, stream)]({ retention: "14d" }, "starting");
    expect(written.includes("14d")).toBe(areShown);
  },
);
