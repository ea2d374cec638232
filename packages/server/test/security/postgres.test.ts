import pg from "pg";
import { testDatabases } from "../../src/storage/postgres/testing/test-databases.ts";
import { securitySuite } from "./security-suite.ts";

const makeDatabase = testDatabases();
/** Contains characters that a URL must encode. */
const password = "open/Sesame of@the database";
let databaseUrl: string;

securitySuite({
  async prepare() {
    const { url } = await makeDatabase();
    databaseUrl = await ownedByAnother(url);
    return { POSTDATE_DATABASE_URL: databaseUrl };
  },
  secrets: () => ({ "the password of the database": password }),
  async dump() {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      const { rows: tables } = await client.query<{ name: string }>(
        "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
      );
      const contents: string[] = [];
      for (const { name } of tables) {
        const { rows } = await client.query<{ row: string }>(
          `SELECT t::text AS row FROM ${name} t`,
        );
        contents.push(...rows.map(({ row }) => row));
      }
      return Buffer.from(contents.join("\n"));
    } finally {
      await client.end();
    }
  },
});

/** A database user whose password is a secret to search for. */
async function ownedByAnother(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const owned = new URL(url);
  const user = `owner_of_${owned.pathname.slice(1)}`;
  try {
    await client.query(`CREATE ROLE ${user} LOGIN PASSWORD '${password}'`);
    await client.query(`ALTER DATABASE ${owned.pathname.slice(1)} OWNER TO ${user}`);
  } finally {
    await client.end();
  }
  owned.username = user;
  owned.password = encodeURIComponent(password);
  return owned.href;
}
