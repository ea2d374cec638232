import { callerOf } from "../callers/service-line.ts";
import type { Callers } from "../callers/callers.ts";
import type { Move } from "./moves.ts";
import type { Scenario } from "./scenario.ts";
import { settlingMood } from "./scenario.ts";
import { hanging } from "./simulated-network.ts";
import type { SimulatedNetwork } from "./simulated-network.ts";
import type { SimulatedNode } from "./simulated-node.ts";
import type { SimulatedTime } from "./simulated-time.ts";
import type { Sky } from "./sky.ts";
import type { SteppingClock } from "./stepping-clock.ts";

export interface World {
  readonly time: SimulatedTime;
  readonly storeClock: SteppingClock;
  /** Whether the store is within its only node. */
  readonly isEmbedded: boolean;
  readonly network: SimulatedNetwork;
  readonly nodes: readonly SimulatedNode[];
  readonly callers: Callers;
  readonly sky: Sky;
}

const minute = 60_000;
const hour = 60 * minute;

export function makeMove(world: World, move: Move): void {
  const { time, network, nodes, callers, sky } = world;
  const now = time.now();
  switch (move.kind) {
    case "schedule":
    case "batch":
    case "cancel":
    case "reschedule":
    case "get":
    case "get by key":
    case "cancel by key":
    case "reschedule by key":
    case "walk":
      return void callers.make(move);
    case "mood":
      return network.setMood(move.targetId, move.mood);
    case "weather":
      sky.weather = move.weather;
      return undefined;
    case "account":
      return void callers.manage({ ...move, targetId: null }, (operations, operator) =>
        move.change === "suspend"
          ? operations.suspendAccount(operator, move.accountId)
          : operations.resumeAccount(operator, move.accountId),
      );
    case "target":
      return void changeTarget(callers, move);
    case "clock":
      return nodes[move.node]!.setWallError(move.wallErrorMs);
    case "clock-step":
      world.storeClock.step(move.byMs);
      if (world.isEmbedded) nodes[0]!.setWallError(world.storeClock.offMs);
      return undefined;
    case "hang":
      return hang(world, move);
    case "crash":
      return nodes[move.node]!.crash(move.downMs);
    case "restart":
      return restart(world, nodes[move.node]!, move.downMs);
    case "freeze": {
      const node = nodes[move.node]!;
      const nodeId = node.run?.nodeId;
      if (nodeId === undefined) return undefined;
      sky.faults.push({ kind: "pause", node: nodeId, at: now, until: now + move.forMs });
      return node.freeze(move.forMs);
    }
    case "strike": {
      const node = nodes[move.node]!;
      const nodeId = node.run?.nodeId;
      if (nodeId === undefined) return undefined;
      const { what, calls, downMs, verb } = move;
      return sky.strike(nodeId, { what, calls, verb, kill: () => node.crash(downMs) });
    }
    case "cut-off": {
      const nodeId = nodes[move.node]!.run?.nodeId;
      if (nodeId !== undefined) sky.cutOff(nodeId, move.forMs);
      return undefined;
    }
  }
}

function changeTarget(callers: Callers, move: Extract<Move, { kind: "target" }>): Promise<void> {
  const { accountId, targetId, change } = move;
  const caller = callerOf(accountId);
  return callers.manage(move, (operations): Promise<unknown> => {
    switch (change) {
      case "pause":
        return operations.pauseTarget(caller, targetId);
      case "resume":
        return operations.resumeTarget(caller, targetId);
      case "slower":
        return operations.updateTarget(caller, targetId, {
          rateLimit: { max: 1, intervalMs: hour },
        });
      default:
        return operations.updateTarget(caller, targetId, { rateLimit: null });
    }
  });
}

function hang(
  { time, network, sky }: World,
  { accountId, targetIds, forMs }: Extract<Move, { kind: "hang" }>,
): void {
  const at = time.now();
  for (const targetId of targetIds) {
    network.setMood(targetId, hanging);
    sky.faults.push({ kind: "hang", accountId, targetId, at, until: at + forMs });
  }
  time.after(forMs, () => {
    for (const targetId of targetIds) network.setMood(targetId, settlingMood);
  });
}

function restart({ time, sky }: World, node: SimulatedNode, downMs: number): void {
  const nodeId = node.run?.nodeId;
  if (nodeId === undefined) return;
  const at = time.now();
  void node.stop().then((stopped) => {
    const until = time.now();
    const stop = { kind: "stop", node: nodeId, at, until } as const;
    // A node that dies while it stops delivered nothing meanwhile. Its crash says when it is back.
    sky.faults.push(stopped ? { ...stop, backAt: until + downMs } : stop);
    if (stopped) time.after(downMs, () => node.start());
  });
}

/** Ends the faults, resumes everything, and lets time pass until every message must have ended. */
export async function settle(
  world: World,
  scenario: Scenario,
  isSettled: () => boolean,
): Promise<void> {
  const { time, network, nodes, callers, sky } = world;
  sky.clear();
  for (const { targetId } of scenario.targets) network.setMood(targetId, settlingMood);
  // By then every frozen node wakes up and every stopped node is back.
  await time.passUntil(time.monotonic() + 61_000);
  for (const node of nodes) node.start();
  callers.goOn();
  for (const { accountId } of scenario.accounts) {
    makeMove(world, { at: 0, kind: "account", accountId, change: "resume" });
  }
  for (const { accountId, targetId } of scenario.targets) {
    const target = { at: 0, kind: "target", accountId, targetId } as const;
    makeMove(world, { ...target, change: "resume" });
    makeMove(world, { ...target, change: "faster" });
  }
  const longestDelayMs = Math.max(...scenario.targets.flatMap(({ delaysMs }) => delaysMs));
  const latest = 2 * scenario.endsAt + 2 * hour + 2 * longestDelayMs;
  while (time.monotonic() < latest && !isSettled()) {
    await time.passUntil(time.monotonic() + 5 * minute);
  }
  callers.giveUp();
}
