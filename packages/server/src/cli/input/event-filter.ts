import type { CreateEventEndpoint, EventTypePattern } from "@postdate/client";
import { Option, type Command } from "commander";
import { readEventTypes } from "./event-type-names.ts";
import { labelOption, labelsOf, type LabelOptions } from "./labels.ts";
import { collect, readOption } from "./read-option.ts";

export interface EventFilterFlags extends LabelOptions {
  readonly type?: readonly string[];
  readonly target?: readonly string[];
}

/** Which events: the flags that each command about an endpoint has. */
export function withEventFilter(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--type <type>",
        "only these, such as message.dead_lettered or target.*, or * for all; repeatable, or with commas",
      ).argParser(collect),
    )
    .addOption(
      new Option("--target <targetId>", "only what concerns this target; repeatable").argParser(
        collect,
      ),
    )
    .addOption(labelOption("only of messages with this label"));
}

/** What is not given stays as it is. */
export function eventFilterOf(
  options: EventFilterFlags,
): Pick<CreateEventEndpoint, "types" | "targetIds" | "labels"> {
  const { type, target } = options;
  const labels = labelsOf(options);
  return {
    ...(type !== undefined && { types: typesOf(type) }),
    ...(target !== undefined && { targetIds: listed(target) }),
    ...(labels !== undefined && { labels }),
  };
}

function typesOf(given: readonly string[]): EventTypePattern[] {
  const types = listed(given).flatMap((each) => readOption("--type", each, readEventTypes));
  return [...new Set(types)] as EventTypePattern[];
}

function listed(given: readonly string[]): string[] {
  return given
    .flatMap((each) => each.split(","))
    .map((each) => each.trim())
    .filter((each) => each !== "");
}
