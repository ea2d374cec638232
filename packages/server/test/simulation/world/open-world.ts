import type { TimeZones } from "../../../src/domain/time-zones/time-zones.ts";
import type { EngineBounds } from "../../../src/engine/delivery/bounds.ts";
import { defectNames } from "../model-store/defects.ts";
import type { DefectName } from "../model-store/defects.ts";
import { createModelDatabase } from "../model-store/model-database.ts";
import type { ModelDatabase } from "../model-store/model-database.ts";
import type { SimulatedWebhooks } from "../events/simulated-webhooks.ts";
import { Callers } from "../callers/callers.ts";
import type { World } from "./make-move.ts";
import { withNodeDefects } from "./node-defects.ts";
import type { NodeDefectName } from "./node-defects.ts";
import { withOperationDefects } from "./operation-defects.ts";
import type { OperationDefectName } from "./operation-defects.ts";
import type { Scenario } from "./scenario.ts";
import { seededRandom } from "./seeded-random.ts";
import { setUp } from "./set-up.ts";
import { simulatedNetwork } from "./simulated-network.ts";
import { SimulatedNode } from "./simulated-node.ts";
import type { ProcessRun } from "./simulated-node.ts";
import { SimulatedTime } from "./simulated-time.ts";
import { Sky } from "./sky.ts";
import { SteppingClock } from "./stepping-clock.ts";
import { boundsOfWorld } from "./tiny-bounds.ts";
import { Trace } from "./trace.ts";

/** A defect of the store or of a node. */
export type Defect = DefectName | NodeDefectName | OperationDefectName;

export interface RunOptions {
  readonly defects?: ReadonlySet<Defect>;
  readonly selfCheck?: boolean;
  /** When the world begins, by its own time. */
  readonly epoch?: number;
  /** The time-zone data of each node. By default all have that of this process. */
  readonly timeZonesOf?: (node: number) => TimeZoneData;
  /** What the nodes send events to. */
  readonly webhooksOf?: (time: SimulatedTime) => SimulatedWebhooks;
}

export interface TimeZoneData {
  readonly timeZones: TimeZones;
  readonly timeZoneVersion: string;
}

export interface OpenWorld {
  readonly world: World;
  readonly database: ModelDatabase;
  readonly trace: Trace;
  readonly bounds: EngineBounds;
  /** The nodes that answer callers now. */
  readonly runs: () => readonly ProcessRun[];
}

const hour = 3_600_000;

/** The world of a scenario, with its accounts and targets. Its nodes have started, and no move is made yet. */
export async function openWorld(
  scenario: Scenario,
  { defects = new Set(), selfCheck = false, epoch, timeZonesOf, webhooksOf }: RunOptions = {},
): Promise<OpenWorld> {
  const random = seededRandom(`${scenario.seed}/run`);
  const time = new SimulatedTime(epoch);
  const storeClock = new SteppingClock(time);
  const trace = new Trace();
  const network = simulatedNetwork(time, random.fork("network"), trace);
  const { nodes: count, apiNodes, leaseMs, prompt } = scenario;
  const sky = new Sky({ time, random: random.fork("weather"), leaseMs, prompt });
  const database = createModelDatabase({
    clock: storeClock,
    timers: time,
    random: random.fork("store"),
    defects: new Set(defectNames.filter((name) => defects.has(name))),
    selfCheck,
    membershipEnded: (node, agoMs) =>
      void sky.faults.push({ kind: "takeover", node, at: time.now() - agoMs }),
  });
  const bounds = boundsOfWorld(random);
  const webhooks = webhooksOf?.(time);
  const nodes = Array.from({ length: count }, (_, number) => {
    const zoneData = timeZonesOf?.(number);
    return new SimulatedNode({
      ...zoneData,
      ...(webhooks !== undefined && { webhooks }),
      withDefects: (operations) => withOperationDefects(operations, defects),
      name: `n${number}`,
      role: number < count - apiNodes ? scenario.delivererRole : "api",
      time,
      network,
      random,
      bounds,
      trace,
      masterKey: random.fork("master key").bytes(32),
      onDied(nodeId, downMs) {
        const at = time.now();
        sky.faults.push({ kind: "crash", node: nodeId, at, backAt: at + downMs, renamed: true });
        database.crash(nodeId);
      },
      openStore: (process, nodeId) => {
        const store = database.open({
          nodeId,
          retentionMs: scenario.retentionMs,
          // What was told stays, for the judge.
          eventRetentionMs: 10 * 366 * 24 * hour,
          idempotencyRetentionMs: 365 * 24 * hour,
          leaseMs,
          clockErrorMs: scenario.clockErrorMs,
          ...zoneData,
          faults: sky.faultsOf(nodeId, process),
          clock: process,
          timers: process,
        });
        return withNodeDefects(store, defects);
      },
    });
  });
  const runs = () => nodes.flatMap((node) => (node.role === "dispatch" ? [] : (node.run ?? [])));
  const callers = new Callers({
    time,
    clock: storeClock,
    random: random.fork("callers"),
    trace,
    runs,
  });

  await setUp(database, time, scenario);
  for (const node of nodes) node.start();
  const isEmbedded = leaseMs === null;
  const world: World = { time, storeClock, isEmbedded, network, nodes, callers, sky };
  return { world, database, trace, bounds, runs };
}
