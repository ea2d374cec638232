import type { Page, PagedList, PageQuery, Postdate } from "@postdate/client";
import { Option, type Command } from "commander";
import { wholeNumber } from "../../config/kinds-of-value.ts";
import type { Connection } from "./connection.ts";
import { readOption } from "../input/read-option.ts";
import { jsonText } from "../terminal/json-text.ts";
import type { Look } from "../terminal/look.ts";

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

export interface PagesToShow<Item> {
  readonly connection: Connection;
  readonly list: (postdate: Postdate, paging: PageQuery) => PagedList<Item>;
  readonly options: PagingOptions;
  readonly stdout: { write(text: string): unknown };
  /** The text for an empty list. It may first look something up, or fail. */
  readonly none: () => Promise<string> | string;
  readonly rows: (items: readonly Item[], look: Look) => string;
}

/** Shows one page, or with --all each page as it arrives. */
export async function showPages<Item>(toShow: PagesToShow<Item>): Promise<void> {
  const { connection, options, stdout } = toShow;
  const { service, json, worded, show, hint } = connection;
  const { limit, pageToken } = options;
  const paging: PageQuery = {
    ...(limit !== undefined && { limit: readOption("--limit", limit, wholeNumber(1, 100).read) }),
    ...(pageToken !== undefined && { pageToken }),
  };
  const rowsOf = ({ items }: Page<Item>, look: Look): string =>
    items.length === 0 ? "" : toShow.rows(items, look);
  const sayIfEmpty = async ({ items }: Page<Item>): Promise<void> => {
    // A caller with a token has already seen items.
    if (items.length === 0 && pageToken === undefined) hint(await toShow.none());
  };

  if (options.all !== true) {
    const page = await service.ask((postdate) => toShow.list(postdate, paging).page());
    await sayIfEmpty(page);
    show(page, rowsOf);
    if (page.nextPageToken != null) hint("There is more: --all shows everything.");
    return;
  }
  let isContinued = false;
  const pages = await service.ask(async (postdate) => toShow.list(postdate, paging).pages());
  for (;;) {
    const { done, value: page } = await service.ask(() => pages.next());
    if (done === true) return;
    if (!isContinued) await sayIfEmpty(page);
    const continued = isContinued;
    stdout.write(
      json
        ? page.items.map((item) => jsonText(item)).join("")
        : worded(page, (shown, look) => rowsOf(shown, { ...look, isContinued: continued })),
    );
    isContinued = true;
  }
}
