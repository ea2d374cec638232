import type { Figure } from "./figures/figure.ts";
import type { Bench, Phase } from "./phase.ts";
import { waitUntilQuiet } from "./quiet-machine.ts";

/** Runs a phase for a limited time, and ends everything that it started. */
export async function runPhase(
  phase: Phase,
  bench: Omit<Bench, "opened" | "say">,
): Promise<readonly Figure[]> {
  const from = performance.now();
  const say = (text: string): void => {
    const seconds = ((performance.now() - from) / 1_000).toFixed(0).padStart(4);
    console.error(`${seconds} s  ${phase.name}: ${text}`);
  };
  console.error(`\n${phase.name}: ${phase.about}`);
  await waitUntilQuiet({ boundMs: bench.options.quietMs, say });
  await using opened = new AsyncDisposableStack();
  const timeUp = Promise.withResolvers<never>();
  const boundMs = phase.boundMs(bench.options);
  const timer = setTimeout(
    () => timeUp.reject(new Error(`took longer than ${boundMs / 1_000} s`)),
    boundMs,
  );
  try {
    return await Promise.race([phase.measure({ ...bench, opened, say }), timeUp.promise]);
  } finally {
    clearTimeout(timer);
  }
}
