import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { mostOpenFiles } from "./open-files.ts";

const printLimit = `import { mostOpenFiles } from ${JSON.stringify(new URL("open-files.ts", import.meta.url).href)};
  console.log(mostOpenFiles())`;

test("the limit on open files is the one that the process was started with", () => {
  const command = 'ulimit -n 200; exec "$0" --input-type=module --eval "$1"';
  const output = execFileSync("/bin/sh", ["-c", command, process.execPath, printLimit]);
  expect(Number(output.toString())).toBe(200);
});

test("the look at the limit leaves the report's settings as they are", () => {
  const setting = (): unknown => Reflect.get(process.report, "excludeNetwork");
  const before = setting();
  expect(mostOpenFiles()).toBeGreaterThan(0);
  expect(setting()).toBe(before);
});
