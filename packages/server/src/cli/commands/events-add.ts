import type { CreateEventEndpoint } from "@postdate/client";
import type { Command } from "commander";
import { wholeNumber } from "../../config/kinds-of-value.ts";
import { codes } from "../../domain/refusals.ts";
import { apiCommand, connect } from "../connection/connection.ts";
import { warnOfUnknownTargets } from "../connection/unknown-targets.ts";
import { CommandFailed } from "../failures/exit-codes.ts";
import { examples } from "../help/help-text.ts";
import { eventFilterOf, withEventFilter, type EventFilterFlags } from "../input/event-filter.ts";
import { headersOf } from "../input/header-lines.ts";
import { collect, readOption } from "../input/read-option.ts";
import { eventEndpointCard } from "../print/event-endpoints.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface AddOptions extends EventFilterFlags {
  readonly webhook?: string;
  readonly id?: string;
  readonly header?: readonly string[];
  readonly maxBatch?: string;
  readonly secret?: string;
}

export const batchSize = wholeNumber(1, 100);

export function addEventsAdd(events: Command, surroundings: Surroundings): void {
  const command = withEventFilter(
    apiCommand(events, "add")
      .description("make an endpoint: a webhook that is sent events, or a stream to read")
      .option("--webhook <url>", "where events are sent, by POST (default: a stream to read)")
      .option("--id <endpointId>", "its name, up to 64 of A-Z a-z 0-9 _ - (default: generated)"),
  )
    .option("--header <header>", "a header to send, as 'Name: value'; repeatable", collect)
    .option("--max-batch <number>", "the most events in one request, 1 to 100 (default: 1)")
    .option("--secret <secret>", "the signing secret, whsec_… (default: generated)")
    .addHelpText(
      "after",
      examples(
        [
          "postdate events add --id alarms --webhook https://example.com/hook --type message.dead_lettered",
          "be told about dead letters",
        ],
        ["postdate events add --id feed --type 'message.*' --target billing", "a stream to read"],
      ),
    )
    .action(async (options: AddOptions) => {
      const { webhook, id, header, maxBatch, secret } = options;
      if (webhook === undefined && (header ?? maxBatch ?? secret) !== undefined) {
        command.error(
          "error: --header, --max-batch and --secret are for a webhook: give --webhook, or leave them out",
        );
      }
      const endpoint: CreateEventEndpoint = {
        kind: webhook === undefined ? "stream" : "webhook",
        ...(id !== undefined && { endpointId: id }),
        ...eventFilterOf(options),
        ...(webhook !== undefined && { url: webhook }),
        ...(header !== undefined && {
          headers: readOption("--header", "", () => headersOf(header)),
        }),
        ...(maxBatch !== undefined && {
          maxBatch: readOption("--max-batch", maxBatch, batchSize.read),
        }),
        ...(secret !== undefined && { secret }),
      };
      const connection = connect(command, surroundings);
      const { service, show, note, hint } = connection;
      const added = await service
        .ask((postdate) => postdate.events.create(endpoint))
        .catch((error: unknown) => {
          throw withCommand(error, endpoint);
        });
      show(added, eventEndpointCard);
      await warnOfUnknownTargets(connection, endpoint.targetIds);
      if (added.secret !== undefined) note("The secret is not shown again: keep it now.");
      else hint(`\`postdate tail ${added.endpointId}\` shows its events as they happen.`);
    });
}

/** Says what can be done about the endpoints that there are, in commands. */
function withCommand(error: unknown, { endpointId = "" }: CreateEventEndpoint): unknown {
  if (!(error instanceof CommandFailed)) return error;
  const { exitCode, lines, problems } = error;
  const failed = (...said: readonly string[]) => new CommandFailed(exitCode, ...said);
  switch (problems[0]?.code) {
    case codes.eventEndpointExists:
      return failed(
        `The event endpoint ${endpointId} exists already. \`postdate events update ${endpointId}\` changes it; or choose another --id.`,
      ).because(problems);
    case codes.tooManyEventEndpoints:
      return failed(...lines, tooManyHint).because(problems);
    default:
      return error;
  }
}

/** Of the endpoints that an account has already. */
export const tooManyHint =
  "`postdate events list` shows them, `postdate events remove <endpointId>` removes one. Ids that begin with tail_ are of a `postdate tail`, or left over from one that was killed.";
