import { expect, test, vi } from "vitest";
import { apiOf } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import { makeDataDir, rootKey, startServerProcess } from "../support/server-process.ts";
import { patiently } from "../support/shared-service.ts";

test("a server that is stopped writes how its last attempts went, and the next one shows it", async () => {
  await using dataDir = await makeDataDir();
  await using receiver = await startReceiver();
  const first = await startServerProcess({ dataDir: dataDir.path });
  const api = apiOf(first.url, rootKey);
  await api("POST", "/v1/targets", { body: { targetId: "t", url: receiver.url } });
  const message = { targetId: "t", delayMs: 0, payload: "" };
  const { messageId } = (await api("POST", "/v1/messages", { body: message })).body;
  await vi.waitFor(async () => {
    const { state } = (await api("GET", `/v1/messages/${messageId}`)).body;
    if (state !== "DELIVERED") throw new Error(`it is ${state}`);
  }, patiently);
  expect(await first.stop()).toBe(0);

  const second = await startServerProcess({ dataDir: dataDir.path });
  try {
    const { body } = await apiOf(second.url, rootKey)("GET", "/v1/stats/activity?bucket=hour");
    expect(body.total).toMatchObject({ attempts: 1, outcomes: { DELIVERED: 1 } });
  } finally {
    await second.stop();
  }
});
