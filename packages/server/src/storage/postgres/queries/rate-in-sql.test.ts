import fc from "fast-check";
import pg from "pg";
import { expect, test } from "vitest";
import { rateAllowance, spendRate } from "../../../domain/rate-limit.ts";
import { testDatabases } from "../testing/test-databases.ts";
import { allowanceInSql, spentInSql } from "./rate-in-sql.ts";

const makeDatabase = testDatabases();

const cases = fc.sample(
  fc.record({
    max: fc.integer({ min: 1, max: 10_000 }),
    intervalMs: fc.integer({ min: 1, max: 86_400_000 }),
    now: fc.integer({ min: 1_500_000_000_000, max: 4_000_000_000_000 }),
    behindMs: fc.double({ min: -100_000, max: 100_000, noNaN: true }),
    count: fc.integer({ min: 0, max: 500 }),
  }),
  2_000,
);

test("the database computes rates as the domain does", async () => {
  const database = await makeDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT ${allowanceInSql("u.rate", "u.full_at", "u.now")} AS allowance,
       ${spentInSql("u.rate", "u.full_at", "u.now", "u.count")} AS spent
     FROM unnest($1::text[], $2::float8[], $3::bigint[], $4::int[]) WITH ORDINALITY
       AS u(rate, full_at, now, count, place) ORDER BY place`,
    [
      cases.map(({ max, intervalMs }) => JSON.stringify({ max, intervalMs })),
      cases.map(({ now, behindMs }) => now + behindMs),
      cases.map(({ now }) => now),
      cases.map(({ count }) => count),
    ],
  );
  const unlimited = await client.query(
    `SELECT ${allowanceInSql("u.rate", "u.full_at", "u.now")} AS allowance,
       ${spentInSql("u.rate", "u.full_at", "u.now", "5")} AS spent
     FROM (SELECT NULL::text AS rate, 7::float8 AS full_at, 9::bigint AS now) AS u`,
  );
  await client.end();
  await database.drop();

  expect(rows).toEqual(
    cases.map(({ max, intervalMs, now, behindMs, count }) => ({
      allowance: rateAllowance({ max, intervalMs }, now + behindMs, now),
      spent: spendRate({ max, intervalMs }, now + behindMs, now, count),
    })),
  );
  expect(unlimited.rows).toEqual([{ allowance: null, spent: 7 }]);
});
