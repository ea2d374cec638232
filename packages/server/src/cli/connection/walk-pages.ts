import { Option, type Command } from "commander";
import { wholeNumber } from "../../config/kinds-of-value.ts";
import type { Connection } from "./connection.ts";
import { readOption } from "../input/read-option.ts";
import { jsonText } from "../terminal/json-text.ts";
import type { Look } from "../terminal/look.ts";
import type { WirePage } from "./wire.ts";

export interface PagingOptions {
  readonly limit?: string;
  readonly pageToken?: string;
  readonly all?: boolean;
}

export function withPaging(command: Command): Command {
  return command
    .option("--limit <number>", "items on a page, 1 to 100 (default: 20)")
    .option("--all", "every page; with --json, one object on each line")
    .addOption(
      new Option("--page-token <token>", "go on from a nextPageToken of before").conflicts("all"),
    );
}

export interface PageWalk<Item> {
  readonly connection: Connection;
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly options: PagingOptions;
  readonly stdout: { write(text: string): unknown };
  /** The text for an empty list. It may first look something up, or fail. */
  readonly none: () => Promise<string> | string;
  readonly rows: (items: readonly Item[], look: Look) => string;
}

/** Shows one page, or with --all each page as it arrives. */
export async function showPages<Item>(walk: PageWalk<Item>): Promise<void> {
  const { connection, options, stdout } = walk;
  const { api, json, look, show, hint } = connection;
  const { limit } = options;
  if (limit !== undefined) readOption("--limit", limit, wholeNumber(1, 100).read);
  let pageToken = options.pageToken;
  let isFirst = true;
  for (;;) {
    const page: WirePage<Item> = await api.call({
      method: "GET",
      path: walk.path,
      query: { ...walk.query, limit, pageToken },
    });
    const next = page.nextPageToken ?? undefined;
    // A caller with a token has already seen items.
    const isEmpty = page.items.length === 0 && isFirst && options.pageToken === undefined;
    const none = isEmpty ? await walk.none() : undefined;
    if (none !== undefined) hint(none);
    if (options.all !== true) {
      show(page, () => rowsOf(page));
      if (next !== undefined) hint("There is more: --all shows everything.");
      return;
    }
    stdout.write(json ? page.items.map((item) => jsonText(item)).join("") : rowsOf(page));
    if (next === undefined) return;
    pageToken = next;
    isFirst = false;
  }

  function rowsOf(page: WirePage<Item>): string {
    if (page.items.length === 0) return "";
    return walk.rows(page.items, { ...look(), isContinued: !isFirst });
  }
}
