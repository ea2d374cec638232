import { defineConfig } from "vitest/config";

const folder = "packages/server/test/faults";
/** How long others wait is asked here, so nothing else may run beside them. */
const timed = ["catch-up", "hostile-targets", "isolation"].map(
  (name) => `${folder}/${name}/*.test.ts`,
);
const testTimeout = 300_000;

/** Long runs that break things on purpose; `npm test` has the short ones. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "timed",
          include: timed,
          testTimeout,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Most of their time they wait for a lease, a restart or a disk.
        test: {
          name: "untimed",
          include: [`${folder}/**/*.test.ts`],
          exclude: [...timed, `${folder}/failover/**`],
          testTimeout,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
