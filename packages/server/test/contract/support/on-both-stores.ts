import { beforeAll, describe } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import { sharedService } from "../../support/shared-service.ts";
import type { SharedService } from "../../support/shared-service.ts";

/** Runs the tests with a service on each store. All tests of a store share its service. */
export function onBothStores(tests: (service: SharedService) => void): void {
  describe("on the embedded store", () => tests(sharedService()));

  describe("on PostgreSQL", () => {
    const makeDatabase = preparedDatabases();
    const env: Record<string, string> = { POSTDATE_ENCRYPTION_KEY: "ab".repeat(32) };
    beforeAll(async () => {
      env["POSTDATE_DATABASE_URL"] = (await makeDatabase()).url;
    });
    tests(sharedService(() => ({ env })));
  });
}
