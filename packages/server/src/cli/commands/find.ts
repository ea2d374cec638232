import type { MessageState, Page, SearchProgress } from "@postdate/client";
import { Option, type Command } from "commander";
import { InvalidValue } from "../../config/invalid-value.ts";
import { messageStates } from "../../domain/message.ts";
import { parseTime } from "../../domain/times.ts";
import { apiCommand, connect } from "../connection/connection.ts";
import { lookUpSchedule } from "../connection/look-up-schedule.ts";
import { lookUpTarget } from "../connection/look-up-target.ts";
import { showPages, withPaging, type PagingOptions } from "../connection/show-pages.ts";
import { examples } from "../help/help-text.ts";
import { labelOption, labelsOf, type LabelOptions } from "../input/labels.ts";
import { momentText } from "../input/moment/moment-text.ts";
import { collect, readOption } from "../input/read-option.ts";
import { timeRangeOf, withTimeRange, type TimeRangeOptions } from "../input/time-range.ts";
import { zoneOf } from "../input/zone-option.ts";
import { foundRows } from "../print/messages.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface FindOptions extends PagingOptions, TimeRangeOptions, LabelOptions {
  readonly state?: readonly string[];
  readonly target?: string;
  readonly schedule?: string;
  readonly messageKey?: string;
  readonly oldest?: boolean;
}

export function addFind(program: Command, surroundings: Surroundings): void {
  const command = apiCommand(program, "find")
    .addOption(labelOption("only messages that have this label"))
    .addOption(
      new Option("--state <state>", "only messages in this state; repeatable")
        .choices(messageStates)
        // It reads any case, and completions and help still have the choices.
        .argParser(collect),
    )
    .option("--target <targetId>", "only messages for this target")
    .option("--schedule <scheduleId>", "only messages that this schedule has made")
    .option("--message-key <key>", "only messages that have or had this key")
    .option("--oldest", "those scheduled first come first; without it, those scheduled last");
  withPaging(withTimeRange(command, "back"))
    .description("find messages of all targets, by label, state and when they were scheduled")
    .addHelpText(
      "after",
      examples(
        ["postdate find --label order=17", "everything of order 17"],
        ["postdate find --state DEAD_LETTER --min-time 1d", "what was scheduled today, and failed"],
        ["postdate find --target billing --label region=eu --all", "every page"],
        ["postdate find --schedule digest --state DEAD_LETTER", "the runs that failed"],
      ),
    )
    .action(async (options: FindOptions) => {
      const { query, understood } = timeRangeOf(options, surroundings, "back");
      const { target, schedule, messageKey: key, oldest, state } = options;
      const labels = labelsOf(options);
      const search = {
        ...query,
        ...(labels !== undefined && { labels }),
        ...(state !== undefined && { state: readOption("--state", state.join(), parseStates) }),
        ...(target !== undefined && { targetId: target }),
        ...(schedule !== undefined && { scheduleId: schedule }),
        ...(key !== undefined && { key }),
        ...(oldest === true && { order: "oldest" as const }),
      };
      const connection = connect(command, surroundings);
      connection.explain(understood);
      await showPages({
        connection,
        list: ({ messages }, paging) => messages.find({ ...search, ...paging }),
        options,
        stdout: surroundings.stdout,
        none: async () => {
          if (target !== undefined) await lookUpTarget(connection.service, target);
          if (schedule !== undefined) await lookUpSchedule(connection.service, schedule);
          return "No message matches.";
        },
        rows: foundRows,
        more: (page) => searchedText(page, options, surroundings),
      });
    });
}

/** Undefined for a page that is full: the search itself came no further than its last message. */
function searchedText(
  { items, searchedUntil }: Page<unknown> & SearchProgress,
  options: FindOptions,
  surroundings: Surroundings,
): string | undefined {
  if (items.length >= Number(options.limit ?? 20) || searchedUntil === null) return undefined;
  const parsed = parseTime(searchedUntil);
  const zone = zoneOf(options, surroundings).forOutput;
  const until = parsed.ok
    ? momentText({ time: parsed.time, fromNowMs: null }, surroundings.clock.now(), zone)
    : searchedUntil;
  const way = options.oldest === true ? "up" : "back";
  const none = items.length === 0 ? "None so far. " : "";
  return `${none}Searched ${way} to ${until}: --all searches the rest.`;
}

/** Any case will do, and a dash as well as an underscore. */
function parseStates(text: string): MessageState[] {
  return text.split(",").map((word) => {
    const name = word.trim().toUpperCase().replaceAll("-", "_");
    const state = messageStates.find((each) => each === name);
    if (state !== undefined) return state;
    throw new InvalidValue(`must be one of ${messageStates.join(", ")}, not "${word}"`);
  });
}
