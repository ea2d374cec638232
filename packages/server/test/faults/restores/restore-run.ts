import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { runCommand } from "../../end-to-end/support/run-command.ts";
import { apiOf } from "../../support/api.ts";
import type { Api } from "../../support/api.ts";
import { startReceiver } from "../../support/receiver.ts";
import { makeDataDir, startServerProcess } from "../../support/server-process.ts";
import { startWriters } from "../support/writers.ts";

export interface RestoreRunOptions {
  readonly writers: number;
  /** How many messages wait for a day far away when the backup begins. */
  readonly waiting: number;
  readonly backups: number;
}

const farAway = "2099-01-01T00:00:00Z";

/**
 * Backs a busy server up again and again, kills it, and starts another on the last backup, whose targets can be used.
 * Answers with how many of the messages that were acknowledged before that backup began are in which state there.
 */
export async function restoreRun({
  writers,
  waiting,
  backups,
}: RestoreRunOptions): Promise<Record<string, number>> {
  await using dataDir = await makeDataDir();
  await using receiver = await startReceiver();
  const server = await startServerProcess({ dataDir: dataDir.path });
  const api = apiOf(server.url);
  await api("POST", "/v1/targets", { body: { targetId: "t", url: receiver.url } });
  const writing = startWriters(writers, () => api, { reads: false });
  const acknowledged: string[] = [];
  for (let backup = 0; backup < backups; backup++) {
    acknowledged.push(...(await scheduleWaiting(api, waiting)));
    const args = [
      "backup",
      join(dataDir.path, `${backup}.db`),
      "--data-dir",
      dataDir.path,
      "--json",
    ];
    const made = await runCommand(args).ended;
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(made.stdout).scheduled).toBeGreaterThanOrEqual(acknowledged.length);
  }
  await writing.stop();
  expect(writing.asked.length).toBeGreaterThan(writers);
  await server.kill();

  const restored = join(dataDir.path, "restored");
  mkdirSync(restored, { mode: 0o700 });
  copyFileSync(join(dataDir.path, "encryption.key"), join(restored, "encryption.key"));
  const last = join(dataDir.path, `${backups - 1}.db`);
  const put = await runCommand(["restore", last, "--data-dir", restored]).ended;
  expect(put).toMatchObject({ code: 0, stderr: "" });

  const again = await startServerProcess({ dataDir: restored });
  try {
    const found = apiOf(again.url);
    const states = await statesOf(found, acknowledged);
    const deliveryTime = new Date().toISOString();
    const now = { targetId: "t", deliveryTime, payload: "after the restore" };
    await found("POST", "/v1/messages", { body: now });
    await receiver.received(1, ({ body }) => body.toString() === now.payload);
    return states;
  } finally {
    await again.stop();
  }
}

async function scheduleWaiting(api: Api, count: number): Promise<string[]> {
  const one = { targetId: "t", deliveryTime: farAway, payload: "x".repeat(500) };
  const messages = Array.from({ length: count }, () => one);
  const { status, body } = await api("POST", "/v1/messages/batch", { body: { messages } });
  expect(status).toBe(200);
  return body.results.map(({ message }: { message: { messageId: string } }) => message.messageId);
}

async function statesOf(api: Api, messageIds: readonly string[]): Promise<Record<string, number>> {
  const states: Record<string, number> = {};
  const left = messageIds.values();
  const look = async (): Promise<void> => {
    for (const messageId of left) {
      const { status, body } = await api("GET", `/v1/messages/${messageId}`);
      const state = status === 200 ? body.state : `answered ${status}`;
      states[state] = (states[state] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 16 }, look));
  return states;
}
