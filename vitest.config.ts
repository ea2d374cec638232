import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";
import { buildForTests } from "./packages/server/test/support/build-for-tests.ts";

// The suites start hundreds of stores, each with a thread: none needs to compile the same source again.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "postdate-test-compile-cache");

process.env["POSTDATE_BUILT_FOR_TESTS"] = await buildForTests();

/** A run is not over before its longest files are. These come first, then what starts anything, then the rest. */
const longFiles =
  /\/test\/(?:simulation|hostile-timing|cluster|security|end-to-end|guides)\/|\/console\.test\.ts$|\/pack(?:age|aging)\.test\.ts$|\/(?:postgres|sqlite)-store\.test\.ts$/;
const startingFiles = /\/test\/|\/src\/(?:storage|http|app|cli)\//;

class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Not the method of an array: it answers with a list of its own.
    // oxlint-disable-next-line unicorn/no-array-sort
    const sorted = await super.sort(files);
    const turnOf = ({ moduleId }: TestSpecification): number =>
      longFiles.test(moduleId) ? 0 : startingFiles.test(moduleId) ? 1 : 2;
    return sorted.toSorted((one, other) => turnOf(one) - turnOf(other));
  }
}

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "packages/*/test/**/*.test.ts", "bench/**/*.test.ts"],
    exclude: ["**/node_modules/**", "packages/server/test/faults/**"],
    // They end what hangs. How fast anything is belongs to the benchmarks: a busy machine is slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // More than cores: much of a run is waiting for servers, timers and leases.
    maxWorkers: 4,
    // A process for each of 250 files costs a quarter of the run: most of it loads the same modules again.
    isolate: false,
    execArgv: [
      "--import",
      join(import.meta.dirname, "packages/server/test/support/built-threads.js"),
    ],
    sequence: { sequencer: LongFilesFirst },
    // Each is started when the first file asks for it.
    globalSetup: [
      "packages/server/src/storage/postgres/testing/shared-postgres.ts",
      "packages/server/test/support/common-server.ts",
      "packages/console/test/support/built-console.ts",
    ],
    setupFiles: ["packages/server/test/support/leave-nothing-behind.ts"],
  },
});
