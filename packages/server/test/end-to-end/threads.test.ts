import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { services } from "../support/service.ts";

const startService = services();

/** The number of threads in libuv's pool. Only Linux shows their names. */
function poolThreads(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const namesOf = readdirSync(tasks).map((id) => readFileSync(`${tasks}/${id}/comm`, "utf8"));
  return namesOf.filter((name) => name.trim() === "libuv-worker").length;
}

test.runIf(process.platform === "linux").each([
  ["thirty-two threads", undefined, 32],
  ["as many threads as the environment says", "6", 6],
])("the server has %s to look up names with", async (_what, given, threads) => {
  const service = await startService({ env: { UV_THREADPOOL_SIZE: given } });
  // The pool starts at its first use.
  await service.api("POST", "/v1/targets", {
    body: { targetId: "named", url: "http://localhost/" },
  });
  expect(poolThreads(service.server.process.pid!)).toBe(threads);
});
