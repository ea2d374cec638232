import { fileURLToPath } from "node:url";
import { testDatabases } from "../../src/storage/postgres/testing/test-databases.ts";
import { wrongClockSuite } from "../support/wrong-clock-suite.ts";

const preload = fileURLToPath(new URL("../support/shift-wall-clock.ts", import.meta.url));

wrongClockSuite(testDatabases(), (offsetMs) => ({
  NODE_OPTIONS: `--require=${JSON.stringify(preload)}`,
  WALL_CLOCK_OFFSET_MS: String(offsetMs),
}));
