import type { Command } from "commander";
import { duration } from "../../config/kinds-of-value.ts";
import { apiCommand, connect } from "../connection/connection.ts";
import { explained } from "../help/help-text.ts";
import { askAboutTarget } from "../connection/look-up-target.ts";
import { targetCard } from "../print/targets.ts";
import { readOption } from "../input/read-option.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

const longest = duration("0s", "7d");

export function addTargetRotateSecret(target: Command, surroundings: Surroundings): void {
  const command = apiCommand(target, "rotate-secret <targetId>")
    .description("make a new signing secret; the old one also signs for a while")
    .option("--overlap <duration>", "how long the old one also signs, up to 7d (default: 24h)")
    .option("--secret <secret>", "the new secret, whsec_… (default: generated)")
    .addHelpText(
      "after",
      explained(
        "If you give the current secret again, the overlap stays as it is, or becomes longer. If you rotate to another secret within the overlap, the oldest one stops signing. Without --secret each call makes another.",
        ["postdate target rotate-secret billing", "change it at the receiver within a day"],
        ["postdate target rotate-secret billing --overlap 0s", "the old one has leaked"],
      ),
    )
    .action(async (targetId: string, options: { overlap?: string; secret?: string }) => {
      const { overlap, secret } = options;
      const body = {
        ...(overlap !== undefined && {
          overlapMs: readOption("--overlap", overlap, longest.read),
        }),
        ...(secret !== undefined && { secret }),
      };
      const { service, show, note } = connect(command, surroundings);
      const rotated = await askAboutTarget(service, targetId, ({ targets }) =>
        targets.rotateSecret(targetId, body),
      );
      show(rotated, targetCard);
      note("The secret is not shown again: keep it now.");
    });
}
