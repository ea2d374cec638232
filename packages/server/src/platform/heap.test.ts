import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readHeap } from "./heap.ts";

/** Fills its heap to nine tenths of the limit, and reports that while it still can. */
const filling = `
  import { readHeap } from ${JSON.stringify(join(import.meta.dirname, "heap.ts"))};
  const kept = [];
  let heap = readHeap();
  while (heap.usedBytes < 0.9 * heap.limitBytes) {
    for (let index = 0; index < 1_000; index++) kept.push({ index, text: "x" + index });
    heap = readHeap();
  }
  console.log(JSON.stringify(heap));
`;

const reading = `
  import { readHeap } from ${JSON.stringify(join(import.meta.dirname, "heap.ts"))};
  console.log(JSON.stringify(readHeap()));
`;

async function fill(args: readonly string[], options = "", script = filling) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...args, "--no-warnings", "--input-type=module", "--eval", script],
    { env: { ...process.env, NODE_OPTIONS: options } },
  );
  return JSON.parse(stdout) as ReturnType<typeof readHeap>;
}

test("nine tenths of the limit can be used, and the heap is nearly full there", async () => {
  const [byFlag, byEnvironment] = await Promise.all([
    fill(["--max-old-space-size=90", "--max-semi-space-size=2"]),
    fill([], "--max_old_space_size=80 --max-semi-space-size=2"),
  ]);
  expect(byFlag.limitBytes).toBe(90 * 1_048_576);
  expect(byEnvironment.limitBytes).toBe(80 * 1_048_576);
  expect(byFlag.usedBytes).toBeGreaterThanOrEqual(81 * 1_048_576);
});

test("without a setting, the limit is the one that V8 chooses", () => {
  const { usedBytes, limitBytes } = readHeap();
  expect(usedBytes).toBeGreaterThan(1_048_576);
  expect(limitBytes).toBeGreaterThan(usedBytes);
});

test("the size of the young generation does not change the limit of the old one", async () => {
  const limits = ["--max-semi-space-size=4", "--max-semi-space-size=32"].map((flag) =>
    fill([flag], "", reading),
  );
  const [small, large] = await Promise.all(limits);
  expect(small!.limitBytes).toBe(large!.limitBytes);
});
