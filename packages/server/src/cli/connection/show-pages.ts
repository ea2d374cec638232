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

export interface PagesToShow<Item, More> {
  readonly connection: Connection;
  readonly list: (postdate: Postdate, paging: PageQuery) => PagedList<Item, More>;
  readonly options: PagingOptions;
  readonly stdout: { write(text: string): unknown };
  /** The text for an empty list. It may first look something up, or fail. */
  readonly none: () => Promise<string> | string;
  readonly rows: (items: readonly Item[], look: Look) => string;
  /** The text for a page that is not the last; undefined for the usual one. */
  readonly more?: (page: Page<Item> & More) => string | undefined;
}

/** Shows one page, or with --all each page as it arrives. */
export async function showPages<Item, More>(toShow: PagesToShow<Item, More>): Promise<void> {
  const { connection, options, stdout } = toShow;
  const { service, json, worded, show, tell, hint } = connection;
  const { limit, pageToken } = options;
  const paging: PageQuery = {
    ...(limit !== undefined && { limit: readOption("--limit", limit, wholeNumber(1, 100).read) }),
    ...(pageToken !== undefined && { pageToken }),
  };
  const rowsOf = ({ items }: Page<Item>, look: Look): string =>
    items.length === 0 ? "" : toShow.rows(items, look);
  const sayThatNoneIsThere = async (): Promise<void> => {
    // A caller with a token has already seen items.
    if (pageToken === undefined) hint(await toShow.none());
  };

  if (options.all !== true) {
    const page = await service.ask((postdate) => toShow.list(postdate, paging).page());
    const isLast = page.nextPageToken == null;
    if (isLast && page.items.length === 0) await sayThatNoneIsThere();
    show(page, rowsOf);
    if (!isLast && !json) tell(page, (shown) => toShow.more?.(shown) ?? thereIsMore);
    return;
  }
  let isContinued = false;
  const pages = await service.ask(async (postdate) => toShow.list(postdate, paging).pages());
  for (;;) {
    const { done, value: page } = await service.ask(() => pages.next());
    if (done === true) break;
    const continued = isContinued;
    stdout.write(
      json
        ? page.items.map((item) => jsonText(item)).join("")
        : worded(page, (shown, look) => rowsOf(shown, { ...look, isContinued: continued })),
    );
    // A search may have empty pages before one with items.
    isContinued ||= page.items.length > 0;
  }
  if (!isContinued) await sayThatNoneIsThere();
}

const thereIsMore = "There is more: --all shows everything.";
