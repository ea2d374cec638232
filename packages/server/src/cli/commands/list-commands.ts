import type { Message } from "@postdate/client";
import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { examples, type HelpText } from "../help/help-text.ts";
import { lookUpTarget } from "../connection/look-up-target.ts";
import type { Direction } from "../input/moment/moment.ts";
import { deadLetterRows, scheduledRows } from "../print/messages.ts";
import type { Look } from "../terminal/look.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { timeRangeOf, withTimeRange, type TimeRangeOptions } from "../input/time-range.ts";
import { showPages, withPaging, type PagingOptions } from "../connection/show-pages.ts";
import type { Service } from "../connection/service.ts";

type ListOptions = PagingOptions & TimeRangeOptions;

interface MessageList {
  readonly usage: string;
  readonly description: string;
  readonly list: "scheduled" | "deadLetters";
  readonly items: string;
  readonly rows: (messages: readonly Message[], look: Look) => string;
  /** Whether its messages lie in the past or in the future. */
  readonly direction: Direction;
  readonly examples: HelpText;
}

export function addList(program: Command, surroundings: Surroundings): void {
  addMessageList(program, surroundings, {
    usage: "list <targetId>",
    description: "list the scheduled messages of a target, the next one first",
    list: "scheduled",
    items: "scheduled messages",
    rows: scheduledRows,
    direction: "ahead",
    examples: examples(
      ["postdate list billing", "the next twenty"],
      ["postdate list billing --max-time 1h --all", "all that are due within the hour"],
      ['postdate list billing --min-time "friday 17:30"', "those due after the working week"],
    ),
  });
}

export function addDeadLetters(program: Command, surroundings: Surroundings): void {
  addMessageList(program, surroundings, {
    usage: "dead-letters <targetId>",
    description: "list the messages of a target that could not be delivered, the oldest first",
    list: "deadLetters",
    items: "dead letters",
    rows: deadLetterRows,
    direction: "back",
    examples: examples(
      ["postdate dead-letters billing", "the oldest twenty"],
      ["postdate dead-letters billing --min-time 1d", "those of the last day"],
      ["postdate dead-letters billing --all --json", "one JSON object on each line"],
    ),
  });
}

function addMessageList(program: Command, surroundings: Surroundings, list: MessageList): void {
  const { direction } = list;
  const command = withPaging(withTimeRange(apiCommand(program, list.usage), direction))
    .description(list.description)
    .addHelpText("after", list.examples)
    .action(async (targetId: string, options: ListOptions) => {
      const { query, understood } = timeRangeOf(options, surroundings, direction);
      const connection = connect(command, surroundings);
      connection.explain(understood);
      await showPages({
        connection,
        list: ({ targets }, paging) => targets[list.list](targetId, { ...query, ...paging }),
        options,
        stdout: surroundings.stdout,
        none: () => noneOf(connection.service, list.items, targetId, options),
        rows: list.rows,
      });
    });
}

/**
 * For an unknown target the service answers with an empty page. A misspelt name must not look like an
 * empty list.
 */
async function noneOf(
  service: Service,
  items: string,
  targetId: string,
  { minTime, maxTime }: ListOptions,
): Promise<string> {
  const within = minTime === undefined && maxTime === undefined ? "" : " in that time";
  const none = `No ${items} for ${targetId}${within}.`;
  const look = await lookUpTarget(service, targetId);
  return look === "known" ? none : `${none} This key may not check whether the target exists.`;
}
