import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

const quietShare = 0.1;

/** Waits a limited time for other programs to leave the processor alone. Then warns that they do not. */
export async function waitUntilQuiet({
  boundMs,
  say,
}: {
  readonly boundMs: number;
  readonly say: (text: string) => void;
}): Promise<void> {
  const until = performance.now() + boundMs;
  for (;;) {
    const share = await busyShare(1_000);
    if (share <= quietShare) return;
    const percent = Math.round(share * 100);
    if (performance.now() >= until) {
      say(`WARNING: the machine is busy with something else (${percent} %): expect noise`);
      return;
    }
    say(`waiting, the machine is ${percent} % busy`);
    await sleep(1_000);
  }
}

/** The share of all cores together. */
async function busyShare(overMs: number): Promise<number> {
  const before = processorTimes();
  await sleep(overMs);
  const after = processorTimes();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function processorTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((core) => core.times);
  const sum = (of: (one: (typeof times)[number]) => number): number =>
    times.reduce((total, one) => total + of(one), 0);
  return {
    idle: sum(({ idle }) => idle),
    all: sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq),
  };
}
