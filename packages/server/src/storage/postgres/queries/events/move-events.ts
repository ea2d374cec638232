import type { EventFacts, EventPosition } from "../../../../domain/events/event.ts";
import type { Instant } from "../../../../domain/instant.ts";
import { createEventSeeds } from "../../../../platform/event-ids.ts";
import { GrowingBundle } from "../../../event-log/bundles.ts";
import type { MovedEvents } from "../../../store.ts";
import type { LogPlace } from "../../../event-log/bundles.ts";
import type { Run } from "../../connections/connections.ts";
import { arrayLiteral } from "../../rows/array-literal.ts";
import { arraysOf, namesOf, unnest } from "../../rows/given-columns.ts";
import type { GivenColumns } from "../../rows/given-columns.ts";
import { bundleColumns } from "../../rows/bundle-rows.ts";
import type { BundleOfAccount } from "../../rows/bundle-rows.ts";
import { takenFromOutbox } from "../../rows/outbox-entries.ts";
import type { OutboxEntry } from "../../rows/outbox-entries.ts";
import type { WorkContext } from "../context.ts";
import { healthFold } from "./health-fold.ts";

/** Any number will do, if every node uses the same. One node moves while the others leave it to that. */
const moverLock = 7_070_002;

/**
 * Commits end in another order than their rows in the outbox are numbered. A row that becomes visible late is moved
 * late, behind those that have passed it: what matters is the order for each subject, and nothing is missed. Positions are
 * given here, by one node at a time, so that readers see a log without gaps that grows only at its end.
 */
export function moveEvents({ connections, random, longLogs }: WorkContext) {
  const nextSeed = createEventSeeds(random);
  return async (limit: number): Promise<MovedEvents> => {
    // Most often there is nothing, and a transaction would cost several times as much as this look.
    const [waiting] = await connections.query({
      name: "look-into-outbox",
      text: `SELECT greatest(0, now_ms() - time) AS waited FROM event_outbox WHERE outbox_id > 0
        ORDER BY outbox_id LIMIT 1`,
    });
    if (waiting === undefined) return { moved: 0, waitedMs: null };
    const moved = await connections.transaction(async (run) => {
      if (!(await becomeMover(run))) return 0;
      // A statement of its own: it sees what the mover before has committed.
      const entries = await takenFromOutbox(run, limit);
      if (entries.length === 0) return 0;
      for (const log of await move(run, entries, nextSeed)) longLogs.saw(log.accountId, log);
      return entries.length;
    });
    return { moved, waitedMs: waiting["waited"] };
  };
}

/** Until the end of the transaction. A mover whose host vanishes loses its session, and with that the lock. */
async function becomeMover(run: Run): Promise<boolean> {
  const [row] = await run({
    name: "become-mover",
    text: `SELECT pg_try_advisory_xact_lock(${moverLock}) AS is_mover`,
  });
  return row!["is_mover"] === true;
}

async function move(
  run: Run,
  entries: readonly OutboxEntry[],
  nextSeed: () => string,
): Promise<readonly Log[]> {
  const logs = await lockLogs(run, [...new Set(entries.map(({ accountId }) => accountId))]);
  const fold = await healthFold(run, entries);
  for (const entry of entries) {
    const log = logs.get(entry.accountId);
    // Its account was removed.
    if (log === undefined) continue;
    for (const facts of [...entry.events, ...fold.eventsOf(entry)]) append(log, facts);
  }
  await fold.write(run);
  await run({
    name: "move-events",
    text: moveStatement,
    values: [
      arrayLiteral([...new Set(entries.map(({ outboxId }) => outboxId))]),
      ...arraysOf(logColumns, [...logs.values()]),
      ...arraysOf(
        bundleColumns,
        [...logs.values()].flatMap((log) => bundlesOf(log, nextSeed)),
      ),
    ],
  });
  return [...logs.values()];
}

interface Log {
  readonly accountId: string;
  last: EventPosition;
  readonly removedUpTo: EventPosition;
  firstTime: Instant | null;
  lastTime: Instant;
  /** What is added to it. */
  readonly bundles: GrowingBundle[];
}

/** Waits for the removal of old events. The logs of removed accounts are missing in the answer. */
async function lockLogs(run: Run, accountIds: readonly string[]): Promise<Map<string, Log>> {
  const rows = await run({
    name: "lock-event-logs",
    text: `SELECT l.account_id, l.last_position, l.removed_up_to, l.first_time, l.last_time
      FROM unnest($1::text[]) AS u(account_id)
      JOIN event_logs l ON l.account_id = u.account_id
      CROSS JOIN LATERAL (
        SELECT FROM accounts a WHERE a.account_id = u.account_id AND a.removal_time IS NULL
        LIMIT 1) AS live
      FOR UPDATE OF l`,
    values: [accountIds],
  });
  return new Map(
    rows.map((row) => [
      row["account_id"] as string,
      {
        accountId: row["account_id"],
        last: row["last_position"],
        removedUpTo: row["removed_up_to"],
        firstTime: row["first_time"],
        lastTime: row["last_time"],
        bundles: [],
      },
    ]),
  );
}

function append(log: Log, facts: EventFacts): void {
  const place = nextPlace(log, facts.time);
  let bundle = log.bundles.at(-1);
  if (bundle === undefined || bundle.isFull) log.bundles.push((bundle = new GrowingBundle(place)));
  bundle.add(facts);
}

function nextPlace(log: Log, time: Instant): LogPlace {
  log.last++;
  log.lastTime = Math.max(log.lastTime, time);
  log.firstTime ??= log.lastTime;
  return { position: log.last, logTime: log.lastTime };
}

function bundlesOf({ accountId, bundles }: Log, nextSeed: () => string): BundleOfAccount[] {
  return bundles.map((bundle) => ({ accountId, ...bundle.finished(nextSeed()) }));
}

const logColumns: GivenColumns<Log> = {
  account_id: { type: "text", of: ({ accountId }) => accountId },
  last_position: { type: "bigint", of: ({ last }) => last },
  first_time: { type: "bigint", of: ({ firstTime }) => firstTime },
  last_time: { type: "bigint", of: ({ lastTime }) => lastTime },
};

const firstBundleParameter = 2 + Object.keys(logColumns).length;

const moveStatement = `
  WITH gone AS (
    DELETE FROM event_outbox WHERE outbox_id = ANY ($1::bigint[])
  ), grown AS (
    UPDATE event_logs l SET last_position = u.last_position, first_time = u.first_time,
      last_time = u.last_time
    FROM ${unnest(logColumns, "u", 2)} WHERE l.account_id = u.account_id
  )
  INSERT INTO event_bundles (${namesOf(bundleColumns)})
  SELECT * FROM ${unnest(bundleColumns, "u", firstBundleParameter)}`;
