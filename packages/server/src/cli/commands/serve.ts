import type { Command } from "commander";
import { settingsOptions } from "../../config/settings-options.ts";
import { paintFor } from "../terminal/colours.ts";
import { explained } from "../help/help-text.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import type { Notices } from "../server/notices.ts";
import { runServer } from "../server/run-server.ts";
import type { RunningServer } from "../surroundings/running-server.ts";
import { serveBanner } from "../server/serve-banner.ts";
import { serverSettings, withServerSettings } from "../server/server-settings.ts";
import type { ServerSettings } from "../server/server-settings.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export function addServe(program: Command, surroundings: Surroundings): void {
  const command = program
    .command("serve")
    .description("run the service")
    .addHelpText(
      "after",
      explained(
        "Secrets come from the environment alone: POSTDATE_ROOT_KEY, POSTDATE_ENCRYPTION_KEY, POSTDATE_ENCRYPTION_OTHER_KEYS, POSTDATE_OPERATOR_KEY. Every variable may instead name a file: POSTDATE_ROOT_KEY_FILE=/run/secrets/root-key. So do the variables of OpenTelemetry: OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG.",
        ["postdate serve", "on 127.0.0.1:7070, data in ./postdate-data"],
        ["postdate serve --host 0.0.0.0 --data-dir /var/lib/postdate", "for the network"],
        ["postdate serve --allow-cidr 10.0.0.0/8", "deliver to addresses of your own network too"],
      ),
    )
    .action(() => serve(serverSettings(command, surroundings), surroundings));
  withServerSettings(command, surroundings, settingsOptions());
}

async function serve(
  { settings, identity, notices }: ServerSettings,
  surroundings: Surroundings,
): Promise<void> {
  const { stdout, env } = surroundings;
  const storeName = settings.databaseUrl === null ? "the embedded store" : "PostgreSQL";
  const release = notices.areJson ? surroundings.onProcessTrouble(notices.trouble) : undefined;
  try {
    await runServer({
      settings,
      identity,
      notices,
      surroundings,
      onStarted(server) {
        tellRootKey(server, settings.writeRootKey, notices);
        notices.ready(server.url, storeName);
        if (!notices.areJson && stdout.isTTY === true) {
          stdout.write(serveBanner(server, settings, paintFor(stdout, env)));
        }
      },
    });
  } catch (error) {
    if (error instanceof CommandFailed) {
      notices.failure(error.lines);
      throw new CommandFailed(error.exitCode);
    }
    if (!notices.areJson) throw error;
    notices.trouble("fatal", error);
    throw new CommandFailed(exitCodes.refused);
  } finally {
    release?.();
  }
}

function tellRootKey(
  { generatedRootKey }: RunningServer,
  writtenTo: string | null,
  notices: Notices,
): void {
  if (generatedRootKey === null) return;
  if (writtenTo === null) notices.rootKey(generatedRootKey);
  else notices.rootKeyFile(writtenTo);
}
