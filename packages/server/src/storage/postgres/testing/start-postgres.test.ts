import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("a process that can start PostgreSQL keeps its exit code, as a failed test run has one", () => {
  const script = `await import(${JSON.stringify(import.meta.resolve("./start-postgres.ts"))});
    process.exitCode = 3;`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 3, stderr: "" });
});
