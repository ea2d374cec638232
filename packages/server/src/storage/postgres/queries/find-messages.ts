import { isKeyText } from "../../../domain/message-options.ts";
import { mostLabelledLookedAt, mostMessagesLookedAt } from "../../../domain/message-search.ts";
import type { SearchOrder } from "../../../domain/message-search.ts";
import type { FindRequest, FindResult } from "../../store.ts";
import type { Query } from "../connections/connections.ts";
import {
  beforeEveryKey,
  behindEveryKey,
  keyBefore,
  messageColumns,
  messageIdOf,
  ownColumns,
  readMessage,
  rowKeyOf,
  stateNumber,
} from "../rows/message-rows.ts";
import type { Context } from "./context.ts";

/** The keys that are still to be looked at, without the bounds themselves. */
interface Span {
  readonly low: string;
  readonly high: string;
}

const nothing: FindResult = { messages: [], lookedUntil: null };

/**
 * Looks at messages in the order of their ids, or at those with the key or with the rarest of the labels, and stops
 * once it has found enough. Otherwise it ends at `looked_until`. Both parts of the statement see the same messages.
 */
export function findMessages({ connections }: Context) {
  async function findTarget(accountId: string, targetId: string): Promise<number | undefined> {
    const [row] = await connections.query(
      {
        name: "find-target-to-search",
        text: "SELECT target_key FROM targets WHERE account_id = $1 AND target_id = $2",
        values: [accountId, targetId],
      },
      accountId,
    );
    return row?.["target_key"];
  }

  async function rarest({ accountId, labels }: FindRequest, { low, high }: Span): Promise<string> {
    if (labels.length === 1) return labels[0]!;
    const rows = await connections.query(
      {
        name: "count-labelled",
        text: countLabelled,
        values: [accountId, labels, low, high, mostLabelledLookedAt],
      },
      accountId,
    );
    return rows.reduce((fewest, row) => (row["count"] < fewest["count"] ? row : fewest))["label"];
  }

  return async (request: FindRequest): Promise<FindResult> => {
    const { accountId, targetId, states, labels, order, limit } = request;
    const targetKey = targetId === null ? null : await findTarget(accountId, targetId);
    // A removed target has a row as well: its messages stay on record until they expire.
    if (targetKey === undefined) return nothing;
    const span = spanOf(request);
    const values = [
      accountId,
      span.low,
      span.high,
      targetKey,
      states && states.map(stateNumber),
      request.minTime,
      request.maxTime,
      limit,
    ];
    let query: Query = { ...byKey[order], values: [...values, mostMessagesLookedAt] };
    if (labels.length > 0) {
      const key = labels.find(isKeyText);
      const label = key ?? (await rarest(request, span));
      const others = labels.filter((each) => each !== label);
      const statement = key === undefined ? byLabel[order] : byMessageKey[order];
      query = { ...statement, values: [...values, mostLabelledLookedAt, label, others] };
    }
    const rows = await connections.query(query, accountId);
    const messages = rows.filter((row) => row["message_id"] !== null).map(readMessage);
    if (messages.length >= limit) return { messages, lookedUntil: messages.at(-1)!.messageId };
    const lookedUntil = rows[0]?.["looked_until"] as string | null;
    return { messages, lookedUntil: lookedUntil && messageIdOf(lookedUntil) };
  };
}

function spanOf({ idTimes, order, after }: FindRequest): Span {
  const { from, until } = idTimes;
  const low = from === null ? beforeEveryKey : keyBefore(from);
  const high = until === null ? behindEveryKey : keyBefore(until + 1);
  const last = after === null ? undefined : rowKeyOf(after);
  if (last === undefined) return { low, high };
  return order === "newest" ? { low, high: last } : { low: last, high };
}

const countLabelled = `
  SELECT given.label, counted.count FROM unnest($2::text[]) AS given(label)
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS count FROM (
      SELECT FROM message_labels l
      WHERE l.account_id = $1 AND l.label = given.label
        AND l.message_id > $3::uuid AND l.message_id < $4::uuid
      LIMIT $5) AS labelled
  ) AS counted`;

const matching = `
  m.account_id = $1 AND ($4::int IS NULL OR m.target_key = $4)
  AND ($5::int[] IS NULL OR m.state = ANY ($5))
  AND ($6::bigint IS NULL OR m.scheduling_time >= $6)
  AND ($7::bigint IS NULL OR m.scheduling_time <= $7)
  AND (m.expiration_time IS NULL OR m.expiration_time > (SELECT now_ms()))`;

/** `looked` are the messages to look at, in order; `keys` their keys alone, in the same order. */
const searchText = (direction: "ASC" | "DESC", looked: string, keys: string): string => `
  WITH found AS MATERIALIZED (
    SELECT m.* FROM ${looked} WHERE ${matching}
    ORDER BY m.message_id ${direction} LIMIT $8
  )
  SELECT ends.looked_until, ${messageColumns()}
  FROM (
    SELECT CASE WHEN (SELECT count(*) FROM found) < $8
      THEN (${keys} ORDER BY message_id ${direction} OFFSET $9::bigint - 1 LIMIT 1)
    END AS looked_until
  ) AS ends
  LEFT JOIN found m ON true
  LEFT JOIN targets t ON t.target_key = m.target_key
  ORDER BY m.message_id ${direction}`;

const columns = ["account_id", "target_key", ...ownColumns];

const keyText = (direction: "ASC" | "DESC"): string =>
  searchText(
    direction,
    `(SELECT ${columns.join(", ")} FROM messages
      WHERE message_id > $2::uuid AND message_id < $3::uuid
      ORDER BY message_id ${direction} LIMIT $9) AS m`,
    "SELECT message_id FROM messages WHERE message_id > $2::uuid AND message_id < $3::uuid",
  );

const withLabel = `
  SELECT message_id FROM message_labels
  WHERE account_id = $1 AND label = $10 AND message_id > $2::uuid AND message_id < $3::uuid`;

/** Those that have ended, and of each target the scheduled one. One may have ended before. */
const withMessageKey = (direction: "ASC" | "DESC"): string => `
  SELECT message_id FROM (
    (${withLabel} ORDER BY message_id ${direction} LIMIT $9)
    UNION
    SELECT k.message_id FROM targets t
    CROSS JOIN LATERAL (
      SELECT message_id FROM message_keys
      WHERE target_key = t.target_key AND key = substr($10, 2) LIMIT 1) AS k
    WHERE t.account_id = $1 AND k.message_id > $2::uuid AND k.message_id < $3::uuid
  ) AS keyed`;

const labelText = (direction: "ASC" | "DESC", labelled = withLabel): string =>
  searchText(
    direction,
    `(${labelled} ORDER BY message_id ${direction} LIMIT $9) AS l
    CROSS JOIN LATERAL (
      SELECT ${columns.join(", ")} FROM messages o
      WHERE o.message_id = l.message_id
        AND NOT EXISTS (
          SELECT FROM unnest($11::text[]) AS other(label) WHERE NOT EXISTS (
            SELECT FROM message_labels b
            WHERE b.account_id = $1 AND b.label = other.label AND b.message_id = l.message_id))
    ) AS m`,
    labelled,
  );

type Statements = Readonly<Record<SearchOrder, Pick<Query, "name" | "text">>>;

const byKey: Statements = {
  newest: { name: "find-newest-messages", text: keyText("DESC") },
  oldest: { name: "find-oldest-messages", text: keyText("ASC") },
};

const byLabel: Statements = {
  newest: { name: "find-newest-labelled", text: labelText("DESC") },
  oldest: { name: "find-oldest-labelled", text: labelText("ASC") },
};

const byMessageKey: Statements = {
  newest: { name: "find-newest-keyed", text: labelText("DESC", withMessageKey("DESC")) },
  oldest: { name: "find-oldest-keyed", text: labelText("ASC", withMessageKey("ASC")) },
};
