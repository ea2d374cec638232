import { StoreUnavailable } from "../store.ts";

export interface GatherLimits {
  readonly mostItems: number;
  readonly mostUnderWay: number;
  readonly onBatch: (size: number) => void;
}

/**
 * Makes many calls with a few items each into few calls with many: while one is under way the next
 * gathers, and an idle store is called at once.
 */
export function gather<Item, Answer>(
  handle: (items: readonly Item[]) => Promise<Answer[]>,
  options: GatherLimits,
): (items: readonly Item[]) => Promise<Answer[]> {
  interface Waiting {
    readonly items: readonly Item[];
    resolve(answers: Answer[]): void;
    reject(error: unknown): void;
  }
  const waiting: Waiting[] = [];
  let underWay = 0;
  let planned = false;

  function take(): Waiting[] {
    const batch: Waiting[] = [];
    let count = 0;
    while (waiting.length > 0) {
      const next = waiting[0]!.items.length;
      if (batch.length > 0 && count + next > options.mostItems) break;
      count += next;
      batch.push(waiting.shift()!);
    }
    options.onBatch(count);
    return batch;
  }

  async function run(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await handle(batch.flatMap((call) => call.items));
      let at = 0;
      for (const call of batch) call.resolve(answers.slice(at, (at += call.items.length)));
    } catch (error) {
      // Those behind have waited as long as it took to find out, and would only find the same.
      const behind = error instanceof StoreUnavailable ? waiting.splice(0) : [];
      for (const call of [...batch, ...behind]) call.reject(error);
    } finally {
      underWay--;
      flush();
    }
  }

  function flush(): void {
    while (waiting.length > 0 && underWay < options.mostUnderWay) {
      underWay++;
      void run(take());
    }
  }

  return (items) =>
    new Promise((resolve, reject) => {
      waiting.push({ items, resolve, reject });
      if (planned || underWay >= options.mostUnderWay) return;
      planned = true;
      setImmediate(() => {
        planned = false;
        flush();
      });
    });
}
