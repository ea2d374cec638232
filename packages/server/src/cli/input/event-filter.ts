import type { CreateEventEndpoint, EventTypePattern } from "@postdate/client";
import { Option, type Command } from "commander";
import { labelOption, labelsOf, type LabelOptions } from "./labels.ts";
import { collect } from "./read-option.ts";

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
        "only these, such as message.dead_lettered or target.*; repeatable, or with commas",
      ).argParser(collect),
    )
    .addOption(
      new Option("--target <targetId>", "only what concerns this target; repeatable").argParser(
        collect,
      ),
    )
    .addOption(labelOption("only of messages with this label"));
}

/** The service checks the types. What is not given stays as it is. */
export function eventFilterOf(
  options: EventFilterFlags,
): Pick<CreateEventEndpoint, "types" | "targetIds" | "labels"> {
  const { type, target } = options;
  const labels = labelsOf(options);
  return {
    ...(type !== undefined && { types: listed(type) as EventTypePattern[] }),
    ...(target !== undefined && { targetIds: listed(target) }),
    ...(labels !== undefined && { labels }),
  };
}

function listed(given: readonly string[]): string[] {
  return given.flatMap((each) => each.split(",")).filter((each) => each !== "");
}
