import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { examples } from "../help/help-text.ts";
import { usageCard } from "../print/accounts.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export function addUsage(program: Command, surroundings: Surroundings): void {
  const command = apiCommand(program, "usage")
    .description("how many messages the account has scheduled this month, and how many it may")
    .addHelpText("after", examples(["postdate usage", "used, left, and until when"]))
    .action(async () => {
      const { service, show } = connect(command, surroundings);
      const usage = await service.ask((postdate) => postdate.usage());
      show(usage, usageCard);
    });
}
