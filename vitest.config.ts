import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "packages/*/test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "packages/server/test/faults/**"],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    maxWorkers: 2,
    // What a test leaves running is a leak in the product or in the test: the run must end by itself.
    teardownTimeout: 5_000,
  },
});
