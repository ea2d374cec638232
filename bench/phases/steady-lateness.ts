import type { Bench } from "../phase.ts";

export interface SteadyTraffic {
  readonly urls: readonly string[];
  readonly targetIds: readonly string[];
  /** What the targets count as at the receiver. */
  readonly group: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** When the first is due; soon, unless told. */
  readonly startAt?: number;
}

/** A message is scheduled so long before it is due. */
export const leadMs = 1_500;
const boundMs = 60_000;

/** How late messages are that are due one after the other, each at an instant of its own. */
export async function steadyLateness(
  { load, receiver }: Pick<Bench, "load" | "receiver">,
  { group, seconds, ...traffic }: SteadyTraffic,
): Promise<readonly number[]> {
  const count = Math.round(traffic.perSecond * seconds);
  await receiver.call("forget", undefined);
  const startAt = traffic.startAt ?? Date.now() + leadMs + 500;
  await load.call("scheduleSteadily", { ...traffic, count, startAt, leadMs });
  const arrived = await receiver.call("arrived", { name: group, count, withinMs: boundMs });
  if (arrived.count < count) throw new Error(`only ${arrived.count} of ${count} have arrived`);
  return receiver.call("latenessMs", { name: group });
}
