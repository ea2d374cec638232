import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import { startCluster } from "../support/cluster.ts";

const makeDatabase = preparedDatabases();
const mostLives = 12;

test("nodes that live for less than a lease take over what the first of them held", async () => {
  const { url } = await makeDatabase();
  await using cluster = await startCluster(url, 1, { nodeLease: "5s" });
  const { receiver, nodes, addNode } = cluster;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  /** Differs after each look that saw the silence of the one that died first; "over" once its membership is. */
  const lastLook = async (): Promise<string> => {
    const { rows } = await client.query(`SELECT coalesce(s.xmin::text, 'none') AS look
      FROM nodes n LEFT JOIN node_silences s ON s.epoch = n.epoch WHERE n.epoch = 1`);
    return rows.length === 0 ? "over" : rows[0].look;
  };

  receiver.answerWith(({ attempt }, response) => {
    // The first attempt is under way when its node dies.
    if (attempt > 1) response.writeHead(204).end();
  });
  const { body } = await nodes[0]!.api("POST", "/v1/messages", {
    body: { targetId: "t", delayMs: 0, payload: "hello" },
  });
  await receiver.received(1);
  await nodes[0]!.server.kill();

  let lives = 0;
  for (let before = await lastLook(); before !== "over"; lives++) {
    if (lives === mostLives) expect.fail("its membership did not end");
    const { server } = await addNode();
    // Each life ends as soon as it has seen a little of the silence.
    await expect.poll(lastLook, { timeout: 60_000 }).not.toBe(before);
    before = await lastLook();
    if (before !== "over") await server.kill();
  }
  const [, again] = await receiver.received(2);
  expect(again!.messageId).toBe(body.messageId);
  expect(lives).toBeGreaterThan(1);
}, 240_000);
