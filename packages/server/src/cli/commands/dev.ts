import type { Command } from "commander";
import { wholeNumber } from "../../config/kinds-of-value.ts";
import { settingsOptions } from "../../config/settings-options.ts";
import { defaultReceiverPort } from "../dev/receiver.ts";
import { runDev } from "../dev/run-dev.ts";
import { explained } from "../help/help-text.ts";
import { readOption } from "../input/read-option.ts";
import { serverSettings, withServerSettings } from "../server/server-settings.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { addDevFail } from "./dev-fail.ts";

const differences = { dataDir: "./postdate-dev", logLevel: "error" } as const;
const loopback = ["127.0.0.0/8", "::1/128"];

export function addDev(program: Command, surroundings: Surroundings): void {
  const command = program
    .command("dev")
    .description("run the service for development, with a receiver that shows each delivery")
    .option(
      "--receiver-port <number>",
      `where the receiver listens, 0 for any free port (default: ${defaultReceiverPort})`,
    )
    .addHelpText(
      "after",
      explained(
        'The same service as `postdate serve`. Loopback addresses are allowed, a target named "dev" points at the built-in receiver, and the root key stays the same between starts.',
        ["postdate dev", "start, then do what it says"],
        ["postdate dev fail 3", "in another terminal: the next three deliveries fail"],
      ),
    )
    .action(async (options: { receiverPort?: string }) => {
      const { settings, identity } = serverSettings(command, surroundings, differences);
      const portText = options.receiverPort ?? String(defaultReceiverPort);
      const receiverPort = readOption("--receiver-port", portText, wholeNumber(0, 65_535).read);
      const allowCidrs = [...new Set([...settings.allowCidrs, ...loopback])];
      await runDev({
        settings: { ...settings, allowCidrs },
        identity,
        receiverPort,
        surroundings,
      });
    });
  const options = settingsOptions({ ...differences, allowCidrs: "loopback, always" });
  // This comes first: a subcommand inherits its parent's tolerance for unknown options.
  addDevFail(command, surroundings);
  withServerSettings(command, surroundings, options);
}
