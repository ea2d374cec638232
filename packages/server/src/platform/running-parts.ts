/** A part that runs by itself, from its start to its stop. */
export interface RunningPart {
  /** Resolves when the part is running. */
  start(): Promise<void>;
  /**
   * Begins nothing more after the call, and resolves when all running work has ended. A part that never
   * started, or failed to start, can be stopped too.
   */
  stop(): Promise<void>;
}

/** Starts one part after the other. If one fails, stops it and those before it, and throws its error. */
export async function startInOrder(parts: readonly RunningPart[]): Promise<void> {
  for (const [index, part] of parts.entries()) {
    try {
      await part.start();
    } catch (error) {
      // A failure to stop is a consequence here, and would hide the cause.
      await stopInReverse(parts.slice(0, index + 1)).catch(() => {});
      throw error;
    }
  }
}

/** Stops one part after the other, the last one first. If one fails, the others are still stopped. */
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

/** Parts that start in order and stop at the same time: all of them begin nothing more at once. */
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

/** A resource that is already open, and is closed when all parts that use it have stopped. */
export function openPart(close: () => Promise<void>): RunningPart {
  return { start: async () => {}, stop: close };
}

function tell(failures: readonly unknown[]): void {
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, "Several parts failed to stop.");
}
