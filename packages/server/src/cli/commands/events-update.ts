import type { UpdateEventEndpoint } from "@postdate/client";
import { Option, type Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { askAboutEventEndpoint } from "../connection/look-up-event-endpoint.ts";
import { warnOfUnknownTargets } from "../connection/unknown-targets.ts";
import { explained } from "../help/help-text.ts";
import { eventFilterOf, withEventFilter, type EventFilterFlags } from "../input/event-filter.ts";
import { withHeaderOptions } from "../input/header-advice.ts";
import { headersOf } from "../input/header-lines.ts";
import { collect, readOption } from "../input/read-option.ts";
import { eventEndpointCard } from "../print/event-endpoints.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { batchSize } from "./events-add.ts";

interface UpdateOptions extends EventFilterFlags {
  readonly usualTypes?: boolean;
  readonly allTargets?: boolean;
  readonly anyLabels?: boolean;
  readonly webhook?: string;
  readonly header?: readonly string[];
  /** False removes all headers. */
  readonly headers?: boolean;
  readonly maxBatch?: string;
}

export function addEventsUpdate(events: Command, surroundings: Surroundings): void {
  const command = withEventFilter(
    apiCommand(events, "update <endpointId>").description(
      "change what the options name; the rest stays",
    ),
  )
    .addOption(new Option("--usual-types", "the types of a new endpoint").conflicts("type"))
    .addOption(new Option("--all-targets", "of every target").conflicts("target"))
    .addOption(new Option("--any-labels", "whatever the labels").conflicts("label"))
    .option("--webhook <url>", "where events are sent")
    .option("--header <header>", "a header to send, as 'Name: value'; repeatable", collect)
    .addOption(new Option("--no-headers", "send no headers along").conflicts("header"))
    .option("--max-batch <number>", "the most events in one request, 1 to 100")
    .addHelpText(
      "after",
      explained(
        "The types, targets, labels and headers that are given replace all that there are. 'Name: set' keeps the value that a header has.",
        ["postdate events update alarms --type target.*,job.ended", "other types"],
        ["postdate events update alarms --all-targets", "of every target from now on"],
      ),
    )
    .action(async (endpointId: string, options: UpdateOptions) => {
      const changes = changesOf(options);
      if (Object.keys(changes).length === 0) command.error("error: say what to change");
      const connection = connect(command, surroundings);
      const { service, show } = connection;
      const changed = await askAboutEventEndpoint(service, endpointId, (postdate) =>
        postdate.events.update(endpointId, changes),
      ).catch((error: unknown) => {
        throw withHeaderOptions(error);
      });
      show(changed, eventEndpointCard);
      await warnOfUnknownTargets(connection, changes.targetIds);
    });
}

function changesOf(options: UpdateOptions): UpdateEventEndpoint {
  const { webhook, header, headers, maxBatch } = options;
  return {
    ...eventFilterOf(options),
    ...(options.usualTypes === true && { types: null }),
    ...(options.allTargets === true && { targetIds: null }),
    ...(options.anyLabels === true && { labels: null }),
    ...(webhook !== undefined && { url: webhook }),
    ...(header !== undefined && { headers: readOption("--header", "", () => headersOf(header)) }),
    ...(headers === false && { headers: null }),
    ...(maxBatch !== undefined && {
      maxBatch: readOption("--max-batch", maxBatch, batchSize.read),
    }),
  };
}
