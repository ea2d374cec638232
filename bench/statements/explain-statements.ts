import pg from "pg";

interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values?: unknown[];
}

/**
 * From now on, each named statement is explained once, just before its real execution: on the same
 * connection and data, without leaving a trace.
 */
export function explainStatements(): { readonly plans: Map<string, string>; stop(): void } {
  const plans = new Map<string, string>();
  // Always called with the client it belongs to.
  // oxlint-disable-next-line typescript/unbound-method
  const plain = pg.Client.prototype.query as (...given: unknown[]) => Promise<pg.QueryResult>;
  const inTransaction = new WeakSet<pg.Client>();

  async function explained(client: pg.Client, statement: Statement): Promise<pg.QueryResult> {
    const run = (text: string, values: unknown[] = []): Promise<pg.QueryResult> =>
      plain.call(client, text, values);
    const [before, after] = inTransaction.has(client)
      ? ["SAVEPOINT explained", "ROLLBACK TO explained"]
      : ["BEGIN", "ROLLBACK"];
    await run(before);
    const { rows } = await run(
      `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, SUMMARY ON) ${statement.text}`,
      statement.values,
    );
    await run(after);
    plans.set(
      statement.name,
      (rows as Record<string, string>[]).map((row) => row["QUERY PLAN"]).join("\n"),
    );
    return plain.call(client, statement);
  }

  pg.Client.prototype.query = function query(this: pg.Client, ...given: unknown[]) {
    const [statement] = given as [string | Statement];
    const text = typeof statement === "string" ? statement : statement.text;
    if (text === "BEGIN") inTransaction.add(this);
    if (text === "COMMIT" || text === "ROLLBACK") inTransaction.delete(this);
    if (typeof statement === "string" || !statement.name || plans.has(statement.name)) {
      return plain.apply(this, given);
    }
    return explained(this, statement);
  } as typeof pg.Client.prototype.query;
  return {
    plans,
    stop() {
      pg.Client.prototype.query = plain as typeof pg.Client.prototype.query;
    },
  };
}
