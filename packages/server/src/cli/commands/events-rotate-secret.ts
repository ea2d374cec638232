import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { askAboutEventEndpoint } from "../connection/look-up-event-endpoint.ts";
import { explained } from "../help/help-text.ts";
import { oldSecretText, rotationOf, withRotation, type RotationFlags } from "../input/rotation.ts";
import { eventEndpointCard } from "../print/event-endpoints.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export function addEventsRotateSecret(events: Command, surroundings: Surroundings): void {
  const command = withRotation(apiCommand(events, "rotate-secret <endpointId>"))
    .description("make a new signing secret for a webhook; the old one also signs for a while")
    .addHelpText(
      "after",
      explained(
        "Without --secret each call makes another.",
        ["postdate events rotate-secret alarms", "change it at the receiver within a day"],
        ["postdate events rotate-secret alarms --overlap 0s", "the old one has leaked"],
      ),
    )
    .action(async (endpointId: string, options: RotationFlags) => {
      const rotation = rotationOf(options);
      const { service, show, note, tell } = connect(command, surroundings);
      const rotated = await askAboutEventEndpoint(service, endpointId, (postdate) =>
        postdate.events.rotateSecret(endpointId, rotation),
      );
      show(rotated, eventEndpointCard);
      tell(rotated, (_, { now }) => oldSecretText(rotation, now));
      note("The secret is not shown again: keep it now.");
    });
}
