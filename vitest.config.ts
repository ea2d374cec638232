import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

// The suites start hundreds of stores, each with a thread: none needs to compile the same source again.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "postdate-test-compile-cache");

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "packages/*/test/**/*.test.ts", "bench/**/*.test.ts"],
    exclude: ["**/node_modules/**", "packages/server/test/faults/**"],
    // They end what hangs. How fast anything is belongs to the benchmarks: a busy machine is slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // More than cores: much of a run is waiting for servers, timers and leases.
    maxWorkers: 3,
    setupFiles: ["packages/server/test/support/no-leaked-handles.ts"],
  },
});
