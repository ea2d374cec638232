import type { Connection } from "./connection.ts";
import type { Look } from "../terminal/look.ts";
import type { WirePage } from "./wire.ts";

export interface WholeList<Item> {
  readonly path: string;
  readonly rows: (items: readonly Item[], look: Look) => string;
  /** The text for an empty list; without it, only the heading is shown. */
  readonly none?: string;
}

/** Shows a list that the service returns in one answer. */
export async function showList<Item>(
  { api, show }: Connection,
  { path, rows, none }: WholeList<Item>,
): Promise<void> {
  const answer = await api.call<WirePage<Item>>({ method: "GET", path });
  show(answer, (look) =>
    answer.items.length === 0 && none !== undefined ? `${none}\n` : rows(answer.items, look),
  );
}
