import { bitOf, healthMask } from "../../../../domain/events/event-types.ts";
import type { EventFacts } from "../../../../domain/events/event.ts";
import { healthEvent } from "../../../../domain/events/other-events.ts";
import {
  afterAttempt,
  isSuccessful,
  unknownHealth,
} from "../../../../domain/events/target-health.ts";
import type { TargetHealth } from "../../../../domain/events/target-health.ts";
import type { Target } from "../../../../domain/target.ts";
import type { Run } from "../../connections/connections.ts";
import { arraysOf, unnest } from "../../rows/given-columns.ts";
import type { GivenColumns } from "../../rows/given-columns.ts";
import type { OutboxEntry } from "../../rows/outbox-entries.ts";
import { readTarget, targetColumns } from "../targets.ts";

/**
 * Follows how targets do, attempt by attempt. Only the mover knows which attempt is the one to tell about, so the event
 * shows the target as it is when the event is moved.
 */
export interface HealthFold {
  /** What somebody is to be told about the target's health after this entry. */
  eventsOf(entry: OutboxEntry): readonly EventFacts[];
  write(run: Run): Promise<void>;
}

interface ChangedHealth extends TargetHealth {
  readonly targetKey: number;
}

/** Only the mover may do this, because it meets the attempts of all nodes in one order. */
export async function healthFold(run: Run, entries: readonly OutboxEntry[]): Promise<HealthFold> {
  const counting = entries.filter((entry) => entry.forgetsHealth || verdictOf(entry) !== null);
  const healths = await readHealths(run, keysOf(counting));
  // With most attempts nothing changes, and the targets need not be read.
  const targets = await readTargets(
    run,
    keysOf(counting.filter((entry) => healths.has(entry.targetKey!) || verdictOf(entry) === false)),
  );
  const changed = new Map<number, TargetHealth>();

  return {
    eventsOf(entry) {
      const { types, time, targetKey, failingAfter, forgetsHealth } = entry;
      if (forgetsHealth) changed.set(targetKey!, unknownHealth);
      const isSuccess = verdictOf(entry);
      if (isSuccess === null) return [];
      const before = changed.get(targetKey!) ?? healths.get(targetKey!) ?? unknownHealth;
      const target = targets.get(targetKey!);
      if (target === undefined || (isSuccess && before.failedAttempts === 0)) return [];
      const { health, event } = afterAttempt(before, isSuccess, time, failingAfter);
      changed.set(targetKey!, health);
      const isTold = event !== null && (bitOf(event.type) & types) !== 0;
      return isTold ? [healthEvent(event, target, time)] : [];
    },

    async write(each) {
      const all = [...changed].map(([targetKey, health]) => ({ targetKey, ...health }));
      await removeHealths(
        each,
        all.filter(({ failedAttempts }) => failedAttempts === 0),
      );
      await writeHealths(
        each,
        all.filter(({ failedAttempts }) => failedAttempts > 0),
      );
    },
  };
}

/** Null: the entry says nothing about the target's health, or nobody is told of it. */
function verdictOf({ attempt, types }: OutboxEntry): boolean | null {
  return attempt === null || (types & healthMask) === 0 ? null : isSuccessful(attempt.outcome);
}

function keysOf(entries: readonly OutboxEntry[]): number[] {
  return [...new Set(entries.map(({ targetKey }) => targetKey!))];
}

async function readHealths(
  run: Run,
  targetKeys: readonly number[],
): Promise<ReadonlyMap<number, TargetHealth>> {
  if (targetKeys.length === 0) return new Map();
  const rows = await run({
    name: "read-target-health",
    text: `SELECT target_key, failed_attempts, since, failing FROM target_health
      WHERE target_key = ANY ($1::int[])`,
    values: [targetKeys],
  });
  return new Map(
    rows.map((row) => [
      row["target_key"] as number,
      {
        failedAttempts: row["failed_attempts"],
        since: row["since"],
        isFailing: row["failing"],
      },
    ]),
  );
}

async function readTargets(
  run: Run,
  targetKeys: readonly number[],
): Promise<ReadonlyMap<number, Target>> {
  if (targetKeys.length === 0) return new Map();
  const rows = await run({
    name: "read-attempted-targets",
    text: `SELECT ${targetColumns} FROM targets t
      LEFT JOIN target_events e ON e.target_key = t.target_key
      WHERE t.target_key = ANY ($1::int[])`,
    values: [targetKeys],
  });
  return new Map(rows.map((row) => [row["target_key"] as number, readTarget(row)]));
}

const columns: GivenColumns<ChangedHealth> = {
  target_key: { type: "int", of: ({ targetKey }) => targetKey },
  failed_attempts: { type: "int", of: ({ failedAttempts }) => failedAttempts },
  since: { type: "bigint", of: ({ since }) => since },
  failing: { type: "smallint", of: ({ isFailing }) => Number(isFailing) },
};

async function writeHealths(run: Run, healths: readonly ChangedHealth[]): Promise<void> {
  if (healths.length === 0) return;
  await run({
    name: "write-target-health",
    text: `INSERT INTO target_health (target_key, failed_attempts, since, failing)
      SELECT u.target_key, u.failed_attempts, u.since, u.failing <> 0 FROM ${unnest(columns)}
      ON CONFLICT (target_key) DO UPDATE SET failed_attempts = excluded.failed_attempts,
        since = excluded.since, failing = excluded.failing`,
    values: arraysOf(columns, healths),
  });
}

async function removeHealths(run: Run, healths: readonly ChangedHealth[]): Promise<void> {
  if (healths.length === 0) return;
  await run({
    name: "remove-target-health",
    text: "DELETE FROM target_health WHERE target_key = ANY ($1::int[])",
    values: [healths.map(({ targetKey }) => targetKey)],
  });
}
