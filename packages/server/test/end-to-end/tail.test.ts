import { once } from "node:events";
import { expect, test } from "vitest";
import { rootKey } from "../support/server-process.ts";
import { addTarget, services } from "../support/service.ts";
import { runCommand } from "./support/run-command.ts";

const startService = services();

test("a tail whose pipe is closed removes its endpoint", async () => {
  const service = await startService();
  const env = { POSTDATE_URL: service.server.url, POSTDATE_KEY: rootKey };
  const tail = runCommand(["tail"], env);
  const { stdout, stderr } = tail.process;
  await once(stderr!, "data");
  const shown = once(stdout!, "data");
  await addTarget(service, { targetId: "first" });
  await shown;
  stdout!.destroy();
  await addTarget(service, { targetId: "second" });
  expect((await tail.ended).code).toBe(0);
  const { body } = await service.api("GET", "/v1/event-endpoints");
  expect(body.items).toEqual([]);
});
