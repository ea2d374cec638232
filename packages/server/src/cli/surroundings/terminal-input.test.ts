import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { foregroundTimers } from "../../platform/timers.ts";
import { terminalInput } from "./terminal-input.ts";

test("what was typed ahead is gone, before the first line and between two", async () => {
  const modes: boolean[] = [];
  const stream = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => void modes.push(isRaw),
  });
  const input = terminalInput(stream, foregroundTimers);
  stream.write("y\n");
  expect(await input.discardTyped!()).toBe("y\n");
  const lines = input[Symbol.asyncIterator]();
  const first = lines.next();
  stream.write("first\n");
  expect(String((await first).value)).toBe("first\n");
  stream.write("ahead\n");
  expect(await input.discardTyped!()).toBe("ahead\n");
  expect(await input.discardTyped!()).toBe("");
  const second = lines.next();
  stream.write("second\n");
  expect(String((await second).value)).toBe("second\n");
  expect(modes).toEqual([true, false, true, false, true, false]);
  await lines.return!();
});
