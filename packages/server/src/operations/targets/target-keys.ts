import type { Store } from "../../storage/store.ts";

const pageSize = 500;

/** The store's keys of all targets of an account. */
export async function targetKeysOf(
  store: Pick<Store, "listTargets">,
  accountId: string,
): Promise<number[]> {
  const keys: number[] = [];
  let after: string | null = null;
  for (;;) {
    const page = await store.listTargets(accountId, { after, limit: pageSize });
    keys.push(...page.map(({ targetKey }) => targetKey));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return keys;
    after = last.targetId;
  }
}
