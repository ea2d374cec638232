import { expect, test } from "vitest";
import { rootKey } from "../../server/test/support/server-process.ts";
import { addTarget, services } from "../../server/test/support/service.ts";
import { Postdate } from "../src/index.ts";
import { startRelay } from "./support/relay.ts";

const start = services();

test("calls outlive a server that is killed, and schedule each message once", async () => {
  const first = await start();
  await addTarget(first);
  await using relay = await startRelay();
  relay.leadTo(first.server.url);
  const postdate = new Postdate({
    url: relay.url,
    key: rootKey,
    timeoutMs: 110_000,
    retry: { tries: 1_000, initialMs: 20, maxMs: 200 },
  });
  const input = (payload: string) => ({ targetId: "t", in: { days: 1 }, payload });
  const ids: string[] = [];
  let isBack = false;
  const calls = Array.from({ length: 16 }, async () => {
    // One more after the server is back.
    for (let last = false; !last;) {
      last = isBack;
      ids.push((await postdate.messages.schedule(input("hello"))).messageId);
    }
  });
  await expect.poll(() => ids.length, { interval: 1 }).toBeGreaterThan(100);
  await first.server.kill();
  const second = await first.restart();
  relay.leadTo(second.server.url);
  isBack = true;
  await Promise.all(calls);
  expect(new Set(ids).size).toBe(ids.length);
  expect(await postdate.usage()).toMatchObject({ used: ids.length });
  const listed = await postdate.targets.scheduled("t", { limit: 100 }).all();
  expect(listed.map(({ messageId }) => messageId).toSorted()).toEqual(ids.toSorted());
});
