import { gather } from "./gather.ts";
import type { GatherOptions } from "./gather.ts";

/** As `gather`, separately for each key: calls of one key wait for none of another. */
export function gatherBy<Item, Answer>(
  handle: (key: string, items: readonly Item[]) => Promise<Answer[]>,
  limits: Omit<GatherOptions<Item>, "apart">,
): (key: string, items: readonly Item[]) => Promise<Answer[]> {
  const lines = new Map<
    string,
    { readonly call: (items: readonly Item[]) => Promise<Answer[]>; waiting: number }
  >();
  return async (key, items) => {
    const line = lines.get(key) ?? {
      call: gather<Item, Answer>((gathered) => handle(key, gathered), {
        ...limits,
        // Lines come and go, and a watched one would stay.
        watch: () => {},
        apart: () => key,
      }),
      waiting: 0,
    };
    lines.set(key, line);
    line.waiting++;
    try {
      return await line.call(items);
    } finally {
      if (--line.waiting === 0) lines.delete(key);
    }
  };
}
