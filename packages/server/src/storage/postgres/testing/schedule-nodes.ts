import pg from "pg";
import { afterEach } from "vitest";
import { scheduleWorldsOf } from "../../conformance/schedules/schedule-harness.ts";
import type { ScheduleWorld } from "../../conformance/schedules/schedule-harness.ts";
import type { Holder, Store } from "../../store.ts";
import { clockedDatabases } from "./clocked-databases.ts";
import type { ClockedDatabase } from "./clocked-databases.ts";

const blocked = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

export interface ScheduleNodes {
  readonly world: ScheduleWorld;
  /** Another node. */
  readonly two: Store;
  readonly holderOfTwo: Holder;
  /** A session that no store knows. */
  readonly aside: pg.Client;
  /** Resolves once so many statements wait for locks. */
  whenBlocked(count: number): Promise<void>;
  /** From now on, whatever writes runs of schedules waits until this is released. */
  holdRuns(): Promise<() => Promise<unknown>>;
}

/** Two nodes on one database with a clock that the test sets. */
export function scheduleNodes(): (
  options?: Parameters<ReturnType<typeof scheduleWorldsOf>>[0],
) => Promise<ScheduleNodes> {
  const makeDatabase = clockedDatabases();
  let database: ClockedDatabase;
  const sessions: pg.Client[] = [];
  const open = scheduleWorldsOf(async (time) => (database = await makeDatabase(time)));
  // Before the database goes.
  afterEach(async () => {
    for (const session of sessions.splice(0)) await session.end();
  });
  return async (options) => {
    const world = await open(options);
    const two = await world.openAnother();
    const holderOfTwo = await two.join("two", "all");
    const { url } = database;
    const whenCounted = database.whenCounted.bind(database);
    const aside = new pg.Client(url);
    await aside.connect();
    sessions.push(aside);
    return {
      ...{ world, two, holderOfTwo, aside },
      whenBlocked: (count) => whenCounted(blocked, count),
      async holdRuns() {
        await aside.query("BEGIN");
        await aside.query("LOCK TABLE schedule_runs IN SHARE MODE");
        return () => aside.query("COMMIT");
      },
    };
  };
}
