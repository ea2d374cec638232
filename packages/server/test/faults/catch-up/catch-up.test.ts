import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import { addBacklogTargets, hour, scheduleBacklogs } from "./backlog.ts";
import { catchUpRun } from "./catch-up-run.ts";
import { startCluster } from "../../support/cluster.ts";
import { startClusterOfOne } from "../../support/cluster-of-one.ts";
import { expectCaughtUp, smallHeap } from "./expect-caught-up.ts";

const makeDatabase = preparedDatabases();
const args = ["--log-level", "error"];
const minute = 60_000;
const preload = fileURLToPath(new URL("../../support/shift-wall-clock.ts", import.meta.url));

test("a server catches up with 100,000 messages that fell due in an hour without one", async () => {
  await using cluster = await startClusterOfOne(args);
  const { nodes, receiver, addNode } = cluster;
  const [before] = nodes;
  await addBacklogTargets(before!.api, receiver.url);
  const waiting = await scheduleBacklogs(before!.api, Date.now() + minute);
  const at = Date.now();
  await before!.server.kill();
  const clockOffMs = hour + 2 * minute;
  const env = {
    NODE_OPTIONS: `--require=${JSON.stringify(preload)} ${smallHeap}`,
    WALL_CLOCK_OFFSET_MS: String(clockOffMs),
  };
  const run = await catchUpRun({
    receiver,
    waiting,
    clockOffMs,
    async start() {
      const node = await addNode(args, env);
      const crash = { kind: "crash", node: "server", at, backAt: Date.now() + clockOffMs } as const;
      return { api: node.api, delivering: [node], faults: [crash] };
    },
  });
  expectCaughtUp(run);
});

test("two new nodes deliver 100,000 messages that wait on PostgreSQL", async () => {
  const database = await makeDatabase();
  await using cluster = await startCluster(database.url, 1, {
    nodeLease: "10s",
    args: [...args, "--role", "api"],
  });
  const { nodes, receiver, addNode } = cluster;
  const { api } = nodes[0]!;
  await addBacklogTargets(api, receiver.url);
  const waiting = await scheduleBacklogs(api, Date.now() - hour);
  const dispatch = [...args, "--role", "dispatch"];
  const env = { NODE_OPTIONS: smallHeap };
  const run = await catchUpRun({
    receiver,
    waiting,
    clockOffMs: 0,
    start: async () => ({
      api,
      delivering: [await addNode(dispatch, env), await addNode(dispatch, env)],
      faults: [],
    }),
  });
  expectCaughtUp(run);
});
