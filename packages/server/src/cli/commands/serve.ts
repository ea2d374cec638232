import type { Command } from "commander";
import { settingsOptions } from "../../config/settings-options.ts";
import { paintFor } from "../colours.ts";
import { examples } from "../examples.ts";
import { readyLine, runServer } from "../run-server.ts";
import { serveBanner } from "../serve-banner.ts";
import { serverSettings } from "../server-settings.ts";
import type { Surroundings } from "../surroundings.ts";

export function addServe(program: Command, surroundings: Surroundings): void {
  const { stdout, stderr, env } = surroundings;
  const command = program
    .command("serve")
    .description("run the service")
    .addHelpText(
      "after",
      `\nSecrets come from the environment alone: POSTDATE_ROOT_KEY, POSTDATE_ENCRYPTION_KEY. Every
variable may instead name a file: POSTDATE_ROOT_KEY_FILE=/run/secrets/root-key.\n${examples(
        ["postdate serve", "on 127.0.0.1:7070, data in ./postdate-data"],
        ["postdate serve --host 0.0.0.0 --data-dir /var/lib/postdate", "for the network"],
        ["postdate serve --allow-cidr 10.0.0.0/8", "deliver to addresses of your own network too"],
      )}`,
    )
    .action(async () => {
      const settings = serverSettings(command, surroundings);
      await runServer(settings, surroundings, (server) => {
        if (server.generatedRootKey !== null) {
          stderr.write(
            `Root API key, made at this first start; it will not be shown again:\n\n  ${server.generatedRootKey}\n\n`,
          );
        }
        stdout.write(readyLine(server));
        if (stdout.isTTY === true)
          stdout.write(serveBanner(server, settings, paintFor(stdout, env)));
      });
    });
  for (const option of settingsOptions()) command.addOption(option);
}
