import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { askAboutEventEndpoint } from "../connection/look-up-event-endpoint.ts";
import { explained } from "../help/help-text.ts";
import { parseMoment } from "../input/moment/moment.ts";
import { remarksOn } from "../input/moment-remarks.ts";
import { readOption } from "../input/read-option.ts";
import { withZone, zoneOf, type ZoneOptions } from "../input/zone-option.ts";
import { eventEndpointCard } from "../print/event-endpoints.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export function addEventsRewind(events: Command, surroundings: Surroundings): void {
  const command = withZone(apiCommand(events, "rewind <endpointId> <time>"))
    .description("send a webhook everything again that happened since a time")
    .addHelpText(
      "after",
      explained(
        "Events that have left the retention do not come back.",
        ["postdate events rewind alarms 1h", "the last hour again"],
        ['postdate events rewind alarms "yesterday 9:00"', "since yesterday morning"],
      ),
    )
    .action(async (endpointId: string, text: string, options: ZoneOptions) => {
      const now = surroundings.clock.now();
      const { forInput: zone } = zoneOf(options, surroundings);
      const moment = readOption("The time", text, (given) =>
        parseMoment(given, { now, direction: "back", zone }),
      );
      const { service, show, explain } = connect(command, surroundings);
      const rewound = await askAboutEventEndpoint(service, endpointId, (postdate) =>
        postdate.events.rewind(endpointId, moment.text),
      );
      const isClear = moment.isWrittenOut;
      explain(remarksOn(moment, { meaning: "Sending again since", now, zone, isClear }));
      show(rewound, eventEndpointCard);
    });
}
