import { defineConfig } from "vitest/config";

/** Long runs that break things on purpose; `npm test` has the short ones. */
export default defineConfig({
  test: {
    include: ["packages/server/test/faults/*.test.ts"],
    testTimeout: 300_000,
    fileParallelism: false,
  },
});
