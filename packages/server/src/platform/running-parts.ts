/** Something that runs by itself, from its start to its stop. */
export interface RunningPart {
  /** Resolves when it runs. */
  start(): Promise<void>;
  /**
   * Begins nothing more from the call on, and resolves when all that was under way has ended. A part that
   * never started, or failed to, can be stopped too.
   */
  stop(): Promise<void>;
}

/** Starts one part after the other. If one fails, stops it and those before it, and tells its failure. */
export async function startInOrder(parts: readonly RunningPart[]): Promise<void> {
  for (const [index, part] of parts.entries()) {
    try {
      await part.start();
    } catch (error) {
      // What fails to stop after this is a consequence, and would hide the cause.
      await stopInReverse(parts.slice(0, index + 1)).catch(() => {});
      throw error;
    }
  }
}

/** Stops one part after the other, the last one first. A part that fails keeps none from being stopped. */
export async function stopInReverse(parts: readonly RunningPart[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts.toReversed()) {
    try {
      await part.stop();
    } catch (error) {
      failures.push(error);
    }
  }
  tell(failures);
}

/** Parts that start in order and stop at the same time: each of them begins nothing more at once. */
export function stoppedTogether(parts: readonly RunningPart[]): RunningPart {
  return {
    start: async () => {
      for (const part of parts) await part.start();
    },
    stop: async () => {
      const ends = await Promise.allSettled(parts.map((part) => part.stop()));
      tell(ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : [])));
    },
  };
}

/** Something that is open already, and has to be closed when all that uses it has stopped. */
export function openPart(close: () => Promise<void>): RunningPart {
  return { start: async () => {}, stop: close };
}

function tell(failures: readonly unknown[]): void {
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, "Several parts failed to stop.");
}
