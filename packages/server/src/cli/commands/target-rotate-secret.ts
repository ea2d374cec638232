import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { explained } from "../help/help-text.ts";
import { askAboutTarget } from "../connection/look-up-target.ts";
import { targetCard } from "../print/targets.ts";
import { oldSecretText, rotationOf, withRotation, type RotationFlags } from "../input/rotation.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export function addTargetRotateSecret(target: Command, surroundings: Surroundings): void {
  const command = withRotation(apiCommand(target, "rotate-secret <targetId>"))
    .description("make a new signing secret; the old one also signs for a while")
    .addHelpText(
      "after",
      explained(
        "If you give the current secret again, the overlap stays as it is, or becomes longer. If you rotate to another secret within the overlap, the oldest one stops signing. Without --secret each call makes another.",
        ["postdate target rotate-secret billing", "change it at the receiver within a day"],
        ["postdate target rotate-secret billing --overlap 0s", "the old one has leaked"],
      ),
    )
    .action(async (targetId: string, options: RotationFlags) => {
      const rotation = rotationOf(options);
      const { service, show, note, tell } = connect(command, surroundings);
      const rotated = await askAboutTarget(service, targetId, ({ targets }) =>
        targets.rotateSecret(targetId, rotation),
      );
      show(rotated, targetCard);
      tell(rotated, (_, { now }) => oldSecretText(rotation, now));
      note("The secret is not shown again: keep it now.");
    });
}
