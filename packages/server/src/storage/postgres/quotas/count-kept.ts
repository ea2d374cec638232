/** The parameters of a statement that hold the month, and the span of the database's clock that belongs to it. */
export interface MonthParameters {
  readonly month: string;
  readonly from: string;
  readonly until: string;
}

/**
 * Parts of a statement that stores the messages of `kept`, at the time of `clock`: counts them in a share of each
 * account's usage. Where `share.share` is null no share has room, and the statement must not stand.
 */
export function countKept({ month, from, until }: MonthParameters): string {
  return `share AS MATERIALIZED (
    SELECT a.account_id, a.count, s.share
    FROM (SELECT account_id, count(*) AS count FROM kept GROUP BY account_id) AS a
    LEFT JOIN LATERAL (
      SELECT share FROM usage_shares s
      WHERE s.month = ${month} AND s.account_id = a.account_id
        AND (s.granted IS NULL OR s.granted - s.used >= a.count)
        AND (SELECT now >= ${from} AND now < ${until} FROM clock)
      LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS s ON true
  ), counted AS (
    UPDATE usage_shares u SET used = u.used + share.count FROM share
    WHERE u.month = ${month} AND u.account_id = share.account_id AND u.share = share.share
  )`;
}
