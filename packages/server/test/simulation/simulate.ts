import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { describeJobTally, jobsTogether, noJobWorlds } from "./jobs/tally.ts";
import { playWorld, worldKinds } from "./play-world.ts";
import type { PlayedWorld, WorldKind } from "./play-world.ts";
import type { Played, Share } from "./play-worlds.ts";
import { addedUp, describeScheduleTally, noScheduleWorlds } from "./schedules/tally.ts";
import { describeTally, noWorlds, together } from "./world/tally.ts";

/**
 * Simulates one world after the other until the time is up or a promise is broken:
 *
 *     npm run simulate -- --minutes 20
 *     npm run simulate -- --minutes 20 --threads 1
 *     npm run simulate -- --seed 3f2a… --mode safety
 *     npm run simulate -- --minutes 20 --mode schedules
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
const kinds = worldKinds.filter((kind) => values.mode === undefined || kind === values.mode);
const minutes = Number(values.minutes);
const threads = Number(values.threads);
if (kinds.length === 0 || !(minutes > 0) || !(threads >= 1)) {
  complain(
    `--mode is one of ${worldKinds.join(", ")}, --minutes a number above 0, --threads 1 or more`,
  );
  process.exit(2);
}

const startedAt = performance.now();
let seen = noWorlds;
let seenOfSchedules = noScheduleWorlds;
let seenOfJobs = noJobWorlds;

function summary(): string {
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const told = [
    ...(seen.worlds > 0 ? [describeTally(seen)] : []),
    ...(seenOfSchedules.worlds > 0 ? [describeScheduleTally(seenOfSchedules)] : []),
    ...(seenOfJobs.worlds > 0 ? [describeJobTally(seenOfJobs)] : []),
  ];
  return `in ${seconds} s: ${told.join("; ")}`;
}

function see(
  seed: string,
  kind: WorldKind,
  { why, tally, scheduleTally, jobTally }: PlayedWorld,
): void {
  if (why !== undefined) {
    complain(`seed ${seed}, ${kind}: broken\n\n${why}\n\n${summary()}`);
    process.exit(1);
  }
  if (tally !== undefined) seen = together(seen, tally);
  if (scheduleTally !== undefined) seenOfSchedules = addedUp(seenOfSchedules, scheduleTally);
  if (jobTally !== undefined) seenOfJobs = jobsTogether(seenOfJobs, jobTally);
}

async function playOne(seed: string): Promise<void> {
  for (const kind of kinds) {
    const played = await playWorld(seed, kind);
    say(`seed ${seed}, ${kind}: trace ${played.traceHash}`);
    see(seed, kind, played);
  }
}

function play(share: Share): Promise<void> {
  const worker = new Worker(new URL("./play-worlds.ts", import.meta.url), { workerData: share });
  worker.on("message", (played: Played) => see(played.seed, played.kind, played));
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
      play({ seeds, first, step: threads, kinds, forMs: minutes * 60_000 }),
    ),
  );
  clearInterval(telling);
}
say(`clean ${summary()}`);
