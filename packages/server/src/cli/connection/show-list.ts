import type { Postdate } from "@postdate/client";
import type { Connection } from "./connection.ts";
import type { Look } from "../terminal/look.ts";

export interface WholeList<Item> {
  readonly list: (postdate: Postdate) => Promise<readonly Item[]>;
  readonly rows: (items: readonly Item[], look: Look) => string;
  /** The text for an empty list; without it, only the heading is shown. */
  readonly none?: string;
}

/** Shows a list that the service returns in one answer. */
export async function showList<Item>(
  { service, show }: Connection,
  { list, rows, none }: WholeList<Item>,
): Promise<void> {
  const items = await service.ask(list);
  show({ items }, (shown, look) =>
    items.length === 0 && none !== undefined ? `${none}\n` : rows(shown.items, look),
  );
}
