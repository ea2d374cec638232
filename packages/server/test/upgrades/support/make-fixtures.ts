import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../../../src/storage/postgres/testing/start-postgres.ts";
import { startServerProcess } from "../../support/server-process.ts";
import { dumpPostgres, dumpSqlite, fixtureFolder } from "./fixtures.ts";
import { populate, receiverPort, serverArgs, serverEnv } from "./populate.ts";

/**
 * Writes what this version leaves behind when it is killed, for the tests of later ones. Run it before a
 * release, in a clean checkout: `node packages/server/test/upgrades/support/make-fixtures.ts`. A fixture that is
 * there is never made again: the test would no longer begin with what that version wrote. All secrets in
 * it were made for it.
 */
const stepsOf = (store: string): string[] =>
  readdirSync(join(import.meta.dirname, "../../../src/storage", store, "migrations")).toSorted();

const receiver = createServer((request, response) => {
  response.writeHead(request.url === "/failing" ? 500 : 204).end();
});
receiver.listen(receiverPort, "127.0.0.1");
await once(receiver, "listening");
const postgres = await startPostgres({ fsync: "off" });
try {
  for (const store of ["sqlite", "postgres"]) {
    const dataDir = mkdtempSync(join(tmpdir(), "postdate-fixture-"));
    const database = store === "postgres" && { POSTDATE_DATABASE_URL: postgres.url };
    const server = await startServerProcess({
      dataDir,
      args: serverArgs,
      env: { ...serverEnv, ...database },
    });
    try {
      const steps = stepsOf(store);
      const name = join(fixtureFolder, `schema-${steps.length}.${store}`);
      const facts = await populate(server.url);
      await server.kill();
      const sql = database ? await dumpPostgres(postgres.url, steps) : dumpSqlite(dataDir);
      writeFileSync(`${name}.json`, `${JSON.stringify(facts, null, 2)}\n`, { flag: "wx" });
      writeFileSync(`${name}.sql`, sql, { flag: "wx" });
    } finally {
      await server.kill();
      rmSync(dataDir, { recursive: true });
    }
  }
} finally {
  await postgres.stop();
  receiver.close();
  receiver.closeAllConnections();
}
