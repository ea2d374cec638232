import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import type { Played, Share } from "./play-worlds.ts";
import type { Mode } from "./world/scenario.ts";
import { describeTally, noWorlds, tallyOf, together } from "./world/tally.ts";
import { explain, trySeed } from "./world/try-seed.ts";

/**
 * Simulates one world after the other until the time is up or a promise is broken:
 *
 *     npm run simulate -- --minutes 20
 *     npm run simulate -- --minutes 20 --threads 1
 *     npm run simulate -- --seed 3f2a… --mode safety
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    threads: { type: "string", default: String(availableParallelism()) },
    seed: { type: "string" },
    mode: { type: "string" },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);
const modes = (["safety", "liveness"] satisfies Mode[]).filter(
  (mode) => values.mode === undefined || mode === values.mode,
);
const minutes = Number(values.minutes);
const threads = Number(values.threads);
if (modes.length === 0 || !(minutes > 0) || !(threads >= 1)) {
  complain("--mode is safety or liveness, --minutes a number above 0, --threads 1 or more");
  process.exit(2);
}

const startedAt = performance.now();
let seen = noWorlds;

function summary(): string {
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  return `in ${seconds} s: ${describeTally(seen)}`;
}

function fail(seed: string, mode: Mode, why: string): never {
  complain(`seed ${seed}, ${mode}: broken\n\n${why}\n\n${summary()}`);
  process.exit(1);
}

async function playOne(seed: string): Promise<void> {
  for (const mode of modes) {
    const { run, faults } = await trySeed(seed, mode);
    say(`seed ${seed}, ${mode}: trace ${run.traceHash}`);
    if (faults.length > 0) fail(seed, mode, await explain(seed, mode));
    seen = together(seen, tallyOf(run));
  }
}

function play(share: Share): Promise<void> {
  const worker = new Worker(new URL("./play-worlds.ts", import.meta.url), { workerData: share });
  worker.on("message", (played: Played) => {
    if (played.kind === "broken") fail(played.seed, played.mode, played.why);
    seen = together(seen, played.tally);
  });
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", () => resolve());
  });
}

if (values.seed !== undefined) {
  await playOne(values.seed);
} else {
  const seeds = randomBytes(4).toString("hex");
  say(`seeds ${seeds}-0 onwards, ${threads} at a time`);
  const telling = setInterval(() => say(summary()), 60_000);
  await Promise.all(
    Array.from({ length: threads }, (_, first) =>
      play({ seeds, first, step: threads, modes, forMs: minutes * 60_000 }),
    ),
  );
  clearInterval(telling);
}
say(`clean ${summary()}`);
