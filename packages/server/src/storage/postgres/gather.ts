import { StoreUnavailable } from "../store.ts";
import { StoreConflict } from "./connection-trouble.ts";

export interface GatherLimits {
  readonly mostItems: number;
  readonly mostUnderWay: number;
  readonly onBatch: (size: number) => void;
}

export interface GatherOptions<Item> extends GatherLimits {
  /** Whose an item is, such as an account: calls of one are not to fail because of another's. */
  readonly apart: (item: Item) => string;
}

/**
 * Makes many calls with a few items each into few calls with many: while one is under way the next
 * gathers, and an idle store is called at once.
 *
 * A batch that came in somebody's way was undone as a whole. It is tried once more, each one's calls by
 * themselves, so that who was not at fault does not notice.
 */
export function gather<Item, Answer>(
  handle: (items: readonly Item[]) => Promise<Answer[]>,
  options: GatherOptions<Item>,
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

  async function call(batch: readonly Waiting[]): Promise<void> {
    const answers = await handle(batch.flatMap(({ items }) => items));
    let at = 0;
    for (const each of batch) each.resolve(answers.slice(at, (at += each.items.length)));
  }

  async function callApart(batch: readonly Waiting[], conflict: StoreConflict): Promise<void> {
    const reject = (calls: readonly Waiting[], error: unknown): void => {
      for (const each of calls) each.reject(error);
    };
    const groups = Map.groupBy(batch, ({ items: [first] }) => first && options.apart(first));
    if (groups.size === 1) return reject(batch, conflict);
    const callGroup = (calls: readonly Waiting[]): Promise<void> =>
      call(calls).catch((error: unknown) => reject(calls, error));
    await Promise.all([...groups.values()].map(callGroup));
  }

  async function run(batch: readonly Waiting[]): Promise<void> {
    try {
      await call(batch);
    } catch (error) {
      if (error instanceof StoreConflict) {
        await callApart(batch, error);
        return;
      }
      // Those behind have waited as long as it took to find out, and would only find the same.
      const behind = error instanceof StoreUnavailable ? waiting.splice(0) : [];
      for (const each of [...batch, ...behind]) each.reject(error);
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
