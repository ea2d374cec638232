import type { Command } from "commander";
import { path } from "../api.ts";
import { apiCommand, connect } from "../connection.ts";
import { examples } from "../examples.ts";
import { messageRows } from "../print/messages.ts";
import { readOption, timeText } from "../read-option.ts";
import type { Surroundings } from "../surroundings.ts";
import { showPages, withPaging, type PagingOptions } from "../walk-pages.ts";
import type { WireMessage } from "../wire.ts";

interface ListOptions extends PagingOptions {
  readonly minTime?: string;
  readonly maxTime?: string;
}

interface MessageList {
  readonly usage: string;
  readonly description: string;
  readonly resource: string;
  readonly items: string;
  readonly orderedBy: "nextDeliveryTime" | "deadLetterTime";
  readonly examples: string;
}

export function addList(program: Command, surroundings: Surroundings): void {
  addMessageList(program, surroundings, {
    usage: "list <targetId>",
    description: "list the scheduled messages of a target, the next one first",
    resource: "scheduled-messages",
    items: "scheduled messages",
    orderedBy: "nextDeliveryTime",
    examples: examples(
      ["postdate list billing", "the next twenty"],
      ["postdate list billing --max-time 2027-01-01T00:00:00Z --all", "all that are due this year"],
    ),
  });
}

export function addDeadLetters(program: Command, surroundings: Surroundings): void {
  addMessageList(program, surroundings, {
    usage: "dead-letters <targetId>",
    description: "list the messages of a target that could not be delivered, the oldest first",
    resource: "dead-letters",
    items: "dead letters",
    orderedBy: "deadLetterTime",
    examples: examples(
      ["postdate dead-letters billing", "the oldest twenty"],
      ["postdate dead-letters billing --all --json", "one JSON object on each line"],
    ),
  });
}

function addMessageList(program: Command, surroundings: Surroundings, list: MessageList): void {
  const command = withPaging(apiCommand(program, list.usage))
    .description(list.description)
    .option("--min-time <time>", "none before this time")
    .option("--max-time <time>", "none after this time")
    .addHelpText("after", list.examples)
    .action(async (targetId: string, options: ListOptions) => {
      const { minTime, maxTime } = options;
      if (minTime !== undefined) readOption("--min-time", minTime, timeText);
      if (maxTime !== undefined) readOption("--max-time", maxTime, timeText);
      await showPages<WireMessage>({
        connection: connect(command, surroundings),
        path: path("targets", targetId, list.resource),
        query: { minTime, maxTime },
        options,
        stdout: surroundings.stdout,
        none: noneOf(list.items, targetId, options),
        rows: (messages, look) => messageRows(messages, list.orderedBy, look),
      });
    });
}

/** A filter may have left them out, and a target that does not exist has none either. */
function noneOf(items: string, targetId: string, { minTime, maxTime }: ListOptions): string {
  const within = minTime === undefined && maxTime === undefined ? "" : " in that time";
  return `No ${items} for ${targetId}${within}.`;
}
