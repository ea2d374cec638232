import { beforeAll, describe } from "vitest";
import { testDatabases } from "../../../src/storage/postgres/testing/test-databases.ts";
import { sharedService } from "../../support/shared-service.ts";
import { longPollsSuite } from "./long-polls-suite.ts";
import { streamsSuite } from "./streams-suite.ts";

const makeDatabase = testDatabases();
let env: Record<string, string>;
beforeAll(async () => {
  const { url } = await makeDatabase();
  env = { POSTDATE_DATABASE_URL: url, POSTDATE_ENCRYPTION_KEY: "ab".repeat(32) };
});

const service = sharedService(() => ({ env }));
describe("streams", () => streamsSuite(service));
describe("long polls", () => longPollsSuite(service));
