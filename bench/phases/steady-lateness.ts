import type { Bench } from "../phase.ts";

export interface SteadyTraffic {
  readonly urls: readonly string[];
  readonly targetIds: readonly string[];
  /** The group of the targets at the receiver. */
  readonly group: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** When the first message is due; soon by default. */
  readonly startAt?: number;
}

/** How long before its due time a message is scheduled. */
export const leadMs = 1_500;
const boundMs = 60_000;

/** How late messages are that are due one after the other, each at a different instant. */
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
