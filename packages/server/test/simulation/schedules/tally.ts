import type { Fault } from "../../history/faults.ts";
import type { Snapshot } from "../model-store/snapshot.ts";

/** What happened in worlds with schedules, in numbers. */
export interface ScheduleTally {
  readonly worlds: number;
  readonly simulatedMs: number;
  readonly schedules: number;
  readonly changes: number;
  readonly created: number;
  readonly caughtUp: number;
  readonly backfilled: number;
  readonly missed: number;
  readonly skipped: number;
  /** Messages that were taken back. */
  readonly takenBack: number;
  /** How often schedules paused themselves after dead letters. */
  readonly pausedThemselves: number;
  readonly faults: number;
}

export const noScheduleWorlds: ScheduleTally = {
  worlds: 0,
  simulatedMs: 0,
  schedules: 0,
  changes: 0,
  created: 0,
  caughtUp: 0,
  backfilled: 0,
  missed: 0,
  skipped: 0,
  takenBack: 0,
  pausedThemselves: 0,
  faults: 0,
};

export function scheduleTallyOf(
  { scheduleJournal, messages }: Snapshot,
  simulatedMs: number,
  faults: readonly Fault[],
): ScheduleTally {
  const runs = scheduleJournal.flatMap((event) => (event.kind === "runs" ? event.runs : []));
  const eventsOf = (kind: string) => scheduleJournal.filter((event) => event.kind === kind).length;
  const runsOf = (outcome: string) => runs.filter((run) => run.outcome === outcome).length;
  return {
    worlds: 1,
    simulatedMs,
    schedules: eventsOf("created"),
    changes: eventsOf("changed"),
    created: runsOf("CREATED"),
    caughtUp: runs.filter(({ trigger }) => trigger === "CATCH_UP").length,
    backfilled: runs.filter(({ trigger }) => trigger === "BACKFILL").length,
    missed: runsOf("MISSED"),
    skipped: runsOf("SKIPPED"),
    takenBack: messages.filter(
      ({ message }) => message.options?.schedule !== undefined && message.state === "CANCELLED",
    ).length,
    pausedThemselves: eventsOf("paused itself"),
    faults: faults.length,
  };
}

export function addedUp(one: ScheduleTally, other: ScheduleTally): ScheduleTally {
  const names = Object.keys(one) as (keyof ScheduleTally)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as never;
}

export function describeScheduleTally(tally: ScheduleTally): string {
  const hours = Math.round(tally.simulatedMs / 3_600_000);
  return [
    `${tally.worlds} worlds with schedules, ${hours} simulated hours,`,
    `${tally.schedules} schedules, ${tally.changes} changes,`,
    `runs: ${tally.created} created (${tally.caughtUp} caught up, ${tally.backfilled} backfilled), ${tally.skipped} skipped,`,
    `${tally.missed} missed, ${tally.takenBack} taken back;`,
    `${tally.pausedThemselves} pauses by dead letters; ${tally.faults} faults`,
  ].join(" ");
}
