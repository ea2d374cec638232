import { defineConfig } from "vitest/config";

/** A real database cluster that fails over. It needs programs that npm does not bring. */
export default defineConfig({
  test: {
    include: ["packages/server/test/faults/failover/*.test.ts"],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    setupFiles: ["packages/server/test/support/leave-nothing-behind.ts"],
  },
});
