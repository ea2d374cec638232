import { FairLines } from "../../../platform/fair-lines.ts";
import { StoreUnavailable } from "../../store.ts";
import { StoreConflict } from "../connections/connection-trouble.ts";

export interface GatherLimits {
  /** The most weight of one batch. A call is not divided. */
  readonly mostWeight: number;
  readonly mostUnderWay: number;
  readonly onBatch: (size: number) => void;
  /** Gets, once, how to read the number of calls that wait for a batch. */
  readonly watch?: (waiting: () => number) => void;
}

export interface GatherOptions<Item> extends GatherLimits {
  /** The owner of an item, such as an account. One owner's calls must not fail due to another's. */
  readonly apart: (item: Item) => string;
  /** Left out: each item weighs 1. */
  readonly weigh?: (item: Item) => number;
}

/** How much of a batch one owner may take before the next owner's turn. */
const turnWeight = 100;

/**
 * Combines many calls with a few items each into few calls with many items. While one batch is
 * under way, the next one gathers; an idle store is called at once. When more waits than fits a
 * batch, owners take turns.
 *
 * After a conflict the database has undone the whole batch. Then each owner's calls are tried once
 * more by themselves, so that only the owner at fault is refused.
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
  const { mostWeight, weigh } = options;
  /** In order of arrival, while all of it fits one batch. */
  let arrived: Waiting[] = [];
  let arrivedWeight = 0;
  /** Calls that had to wait for a later batch. */
  const inTurn = new FairLines<Waiting>(turnWeight);
  let underWay = 0;
  let planned = false;

  function weightOf(items: readonly Item[]): number {
    return weigh === undefined
      ? items.length
      : items.reduce((weight, item) => weight + weigh(item), 0);
  }

  function takeAll(): Waiting[] {
    return inTurn.size === 0 ? takeArrived() : [...inTurn.takeAll(), ...takeArrived()];
  }

  function takeInTurn(): Waiting[] {
    for (const each of takeArrived()) {
      const [first] = each.items;
      inTurn.add(first === undefined ? "" : options.apart(first), each, weightOf(each.items));
    }
    return inTurn.take(mostWeight);
  }

  function takeArrived(): Waiting[] {
    const taken = arrived;
    arrived = [];
    arrivedWeight = 0;
    return taken;
  }

  function take(): Waiting[] {
    const fits = arrivedWeight + inTurn.weight <= mostWeight;
    const batch = fits ? takeAll() : takeInTurn();
    options.onBatch(batch.reduce((count, { items }) => count + items.length, 0));
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
      // The calls behind have waited just as long, and would fail in the same way.
      const behind = error instanceof StoreUnavailable ? takeAll() : [];
      for (const each of [...batch, ...behind]) each.reject(error);
    } finally {
      underWay--;
      flush();
    }
  }

  function flush(): void {
    while (arrived.length + inTurn.size > 0 && underWay < options.mostUnderWay) {
      underWay++;
      void run(take());
    }
  }

  options.watch?.(() => arrived.length + inTurn.size);

  return (items) =>
    new Promise((resolve, reject) => {
      arrived.push({ items, resolve, reject });
      arrivedWeight += weightOf(items);
      if (planned || underWay >= options.mostUnderWay) return;
      planned = true;
      setImmediate(() => {
        planned = false;
        flush();
      });
    });
}
