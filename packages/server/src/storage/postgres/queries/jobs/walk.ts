import { isMatched, timeInJob, walkOf } from "../../../../domain/job-filter.ts";
import type { JobWalk } from "../../../../domain/job-filter.ts";
import type { JobCursor, JobOrder, JobProgress } from "../../../../domain/job.ts";
import type { Instant, TrackedMessage } from "../../../../domain/message.ts";
import type { Query, Run } from "../../connections/connections.ts";
import {
  beforeEveryKey,
  behindEveryKey,
  messageColumns,
  messageIdOf,
  ownColumns,
  readMessage,
  rowKeyOf,
} from "../../rows/message-rows.ts";

/** Whose messages a walk goes through. */
export interface WalkingJob extends JobOrder {
  readonly accountId: string;
  /** Null for a look before there is a job. */
  readonly jobId: string | null;
  readonly creationTime: Instant;
  readonly progress?: JobProgress;
}

/** A message that a walk comes to. It is not locked. */
export interface WalkedMessage {
  /** The key of its row. */
  readonly key: string;
  readonly position: JobCursor;
  /** Undefined: the job does not change it. */
  readonly matched: MatchedMessage | undefined;
}

export interface MatchedMessage {
  readonly targetKey: number;
  readonly message: TrackedMessage;
}

/** The next messages behind `after`, at most `limit`. If there are fewer, the walk is at its end. */
export async function walkOn(
  run: Run,
  job: WalkingJob,
  { after, limit }: { readonly after: JobCursor | null; readonly limit: number },
): Promise<WalkedMessage[]> {
  const walk = walkOf(job);
  const rows = await run(walk.by === "label" ? byLabel(walk.label) : byTarget(walk));
  return rows.map((row) => {
    const key = row["walked_key"] as string;
    const message = row["message_id"] === null ? undefined : readMessage(row);
    const time = message && walk.by === "target" ? timeInJob(job, message) : null;
    const isOpen = message !== undefined && row["is_there"] && row["is_met"] === null;
    const matches =
      isOpen && isMatched(job, job.creationTime, message, () => row["last_status_code"]);
    return {
      key,
      position: { time, messageId: messageIdOf(key) },
      matched: matches ? { targetKey: row["target_key"], message } : undefined,
    };
  });

  function byLabel(label: string): Query {
    return { ...labelStatement, values: [...common(), label, keyAfter(beforeEveryKey)] };
  }

  function byTarget({ targetId, list, first }: Extract<JobWalk, { readonly by: "target" }>): Query {
    const { filter, action, creationTime } = job;
    const low = filter.minTime ?? Number.MIN_SAFE_INTEGER;
    // Nothing behind it became a dead letter before the job was created.
    const latest = action === "redrive" ? creationTime : Number.MAX_SAFE_INTEGER;
    const high = Math.min(filter.maxTime ?? latest, latest);
    const span =
      first === "earliest"
        ? [after?.time ?? low, keyAfter(beforeEveryKey), high]
        : [after?.time ?? high, keyAfter(behindEveryKey), low];
    return { ...targetStatements[list][first], values: [...common(), targetId, ...span] };
  }

  function common(): unknown[] {
    return [job.accountId, job.jobId, limit, job.filter.lastStatusCode !== null];
  }

  function keyAfter(beginning: string): string {
    return (after && rowKeyOf(after.messageId)) ?? beginning;
  }
}

/** Joined, because a subquery might be answered with a list of all messages that the job has met. */
const isMet = `
  LEFT JOIN LATERAL (
    SELECT true AS is_met FROM job_messages j
    WHERE j.account_id = $1 AND j.job_id = $2 AND j.message_id = m.message_id LIMIT 1) AS met ON true`;

/** A message whose time is over does not exist, whether or not it is removed yet. */
const isThere = "m.expiration_time IS NULL OR m.expiration_time > (SELECT now_ms()) AS is_there";

const lastStatusCode = `CASE WHEN $4::boolean THEN (
    SELECT a.status_code FROM attempts a
    WHERE a.message_id = m.message_id AND a.number = m.attempt_count) END AS last_status_code`;

type Statement = Pick<Query, "name" | "text">;

function targetStatement(
  name: string,
  column: "next_delivery_time" | "dead_letter_time",
  { behind, within, direction }: { behind: ">" | "<"; within: "<=" | ">="; direction: string },
): Statement {
  return {
    name,
    text: `
      SELECT m.message_id AS walked_key, ${messageColumns("$5")}, met.is_met, ${isThere}, ${lastStatusCode}
      FROM (
        SELECT target_key, ${ownColumns.join(", ")} FROM messages
        WHERE target_key = (SELECT target_key FROM targets WHERE account_id = $1 AND target_id = $5)
          AND (${column}, message_id) ${behind} ($6::bigint, $7::uuid) AND ${column} ${within} $8
        ORDER BY ${column} ${direction}, message_id ${direction} LIMIT $3) AS m
      ${isMet}
      ORDER BY m.${column} ${direction}, m.message_id ${direction}`,
  };
}

const fromEarliest = { behind: ">", within: "<=", direction: "ASC" } as const;
const fromLatest = { behind: "<", within: ">=", direction: "DESC" } as const;

const targetStatements = {
  scheduled: {
    earliest: targetStatement("walk-scheduled", "next_delivery_time", fromEarliest),
    latest: targetStatement("walk-scheduled-backwards", "next_delivery_time", fromLatest),
  },
  "dead-letters": {
    earliest: targetStatement("walk-dead-letters", "dead_letter_time", fromEarliest),
    latest: targetStatement("walk-dead-letters-backwards", "dead_letter_time", fromLatest),
  },
} as const;

const labelStatement: Statement = {
  name: "walk-labelled",
  text: `
    SELECT l.message_id AS walked_key, ${messageColumns()}, met.is_met, ${isThere}, ${lastStatusCode}
    FROM (
      SELECT message_id FROM message_labels
      WHERE account_id = $1 AND label = $5 AND message_id > $6::uuid
      ORDER BY message_id LIMIT $3) AS l
    LEFT JOIN messages m ON m.message_id = l.message_id
    LEFT JOIN targets t ON t.target_key = m.target_key
    ${isMet}
    ORDER BY l.message_id`,
};
