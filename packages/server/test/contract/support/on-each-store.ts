import { afterAll, beforeAll, describe } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import type { TestDatabase } from "../../../src/storage/postgres/testing/test-databases.ts";
import { operatedService } from "../../support/operated-service.ts";
import type { Operating } from "../../support/operated-service.ts";
import type { SharedService } from "../../support/shared-service.ts";

/** Starts a service with these arguments, for all tests of the suite. */
export type MakeService = (args?: readonly string[]) => SharedService & Operating;

/** Runs the same tests with a server on each of the stores. */
export function onEachStore(suite: (makeService: MakeService) => void): void {
  describe("on the embedded store", () => suite((args) => operatedService(args)));

  describe("on PostgreSQL", () => {
    const makeDatabase = preparedDatabases();
    suite((args) => {
      let database: TestDatabase;
      beforeAll(async () => {
        database = await makeDatabase();
      });
      afterAll(() => database.drop());
      return operatedService(args, () => ({
        POSTDATE_DATABASE_URL: database.url,
        POSTDATE_ENCRYPTION_KEY: "ab".repeat(32),
      }));
    });
  });
}
