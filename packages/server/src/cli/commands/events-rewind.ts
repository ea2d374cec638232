import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { askAboutEventEndpoint } from "../connection/look-up-event-endpoint.ts";
import { CommandFailed } from "../failures/exit-codes.ts";
import { explained } from "../help/help-text.ts";
import { parseMoment } from "../input/moment/moment.ts";
import { remarksOn } from "../input/moment-remarks.ts";
import { readOption } from "../input/read-option.ts";
import { withZone, zoneOf, type ZoneOptions } from "../input/zone-option.ts";
import { eventEndpointCard } from "../print/event-endpoints.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface RewindOptions extends ZoneOptions {
  readonly skip?: boolean;
}

export function addEventsRewind(events: Command, surroundings: Surroundings): void {
  const command = withZone(apiCommand(events, "rewind <endpointId> <time>"))
    .description("send a webhook everything again that happened since a time")
    .option("--skip", "leave out what it has not been sent yet and happened before the time")
    .addHelpText(
      "after",
      explained(
        "Events that have left the retention do not come back. A time ahead of where the webhook is would leave events out: that needs --skip.",
        ["postdate events rewind alarms 1h", "the last hour again"],
        ['postdate events rewind alarms "yesterday 9:00"', "since yesterday morning"],
        ["postdate events rewind alarms now --skip", "nothing of what it has missed"],
      ),
    )
    .action(async (endpointId: string, text: string, options: RewindOptions) => {
      const now = surroundings.clock.now();
      const { forInput: zone } = zoneOf(options, surroundings);
      const moment = readOption("The time", text, (given) =>
        parseMoment(given, { now, direction: "back", zone }),
      );
      const { service, show, explain } = connect(command, surroundings);
      const skip = options.skip === true ? { skip: true } : {};
      const rewound = await askAboutEventEndpoint(service, endpointId, (postdate) =>
        postdate.events.rewind(endpointId, moment.text, skip),
      ).catch((error: unknown) => {
        throw inWordsOfTheCommand(error);
      });
      const isClear = moment.isWrittenOut;
      explain(remarksOn(moment, { meaning: "Sending what happened since", now, zone, isClear }));
      show(rewound, eventEndpointCard);
    });
}

/** The service names the fields of its API. */
function inWordsOfTheCommand(error: unknown): unknown {
  if (!(error instanceof CommandFailed)) return error;
  const lines = error.lines.map((line) =>
    line
      .replace(/\bto (?=is ahead|must not)/, "The time ")
      .replaceAll("skip: true", "--skip")
      .replace(/ \(to\)$/, ""),
  );
  return new CommandFailed(error.exitCode, ...lines).because(error.problems);
}
