import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import type { Mode } from "./world/scenario.ts";
import { explain, trySeed } from "./world/try-seed.ts";

/**
 * Simulates one world after the other, until the time is up or a promise is broken:
 *
 *     npm run simulate -- --minutes 20
 *     npm run simulate -- --seed 3f2a… --mode safety
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string" },
    mode: { type: "string" },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);
const modes: readonly Mode[] = ["safety", "liveness"];
const chosen = values.mode === undefined ? modes : modes.filter((mode) => mode === values.mode);
const minutes = Number(values.minutes);
if (chosen.length === 0 || !(minutes > 0)) {
  complain("--mode is safety or liveness, --minutes a number above 0");
  process.exit(2);
}

const startedAt = performance.now();
const elapsedMs = (): number => performance.now() - startedAt;
const first = values.seed ?? randomBytes(4).toString("hex");
let worlds = 0;
let simulatedMs = 0;
let messages = 0;
let receipts = 0;
let lost = 0;

const summary = (): string =>
  `${worlds} worlds, ${Math.round(simulatedMs / 3_600_000)} simulated hours, ${messages} messages, ${receipts} attempts, ${lost} lost answers in ${Math.round(elapsedMs() / 1_000)} s`;

async function tryOne(seed: string, mode: Mode): Promise<void> {
  const { run, faults } = await trySeed(seed, mode);
  worlds++;
  simulatedMs += run.simulatedMs;
  messages += run.history.final.messages.size;
  receipts += run.history.receipts.length;
  lost += run.history.asked.filter(({ answer }) => answer.kind === "unknown").length;
  if (values.seed !== undefined) say(`seed ${seed}, ${mode}: trace ${run.traceHash}`);
  if (faults.length === 0) return;
  complain(`seed ${seed}, ${mode}: ${faults.length} broken\n`);
  complain(await explain(seed, mode));
  complain(`\n${summary()}`);
  process.exit(1);
}

if (values.seed !== undefined) {
  for (const mode of chosen) await tryOne(values.seed, mode);
} else {
  say(`seeds ${first}-0 onwards`);
  let toldAt = 0;
  for (let number = 0; elapsedMs() < minutes * 60_000; number++) {
    await tryOne(`${first}-${number}`, chosen[number % chosen.length]!);
    if (elapsedMs() - toldAt < 60_000) continue;
    toldAt = elapsedMs();
    say(summary());
  }
}
say(`clean: ${summary()}`);
