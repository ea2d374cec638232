import { testDatabases } from "../../src/storage/postgres/testing/test-databases.ts";
import { edgeSuite } from "./edge-suite.ts";

const makeDatabase = testDatabases();

edgeSuite(async () => ({ POSTDATE_DATABASE_URL: (await makeDatabase()).url }));
