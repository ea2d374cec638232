import type { CreateEventEndpoint, EventTypePattern, Postdate } from "@postdate/client";
import type { Command } from "commander";
import { apiCommand, connect, type Connection } from "../connection/connection.ts";
import { askAboutEventEndpoint } from "../connection/look-up-event-endpoint.ts";
import { warnOfUnknownTargets } from "../connection/unknown-targets.ts";
import { codes } from "../../domain/refusals.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { outputTrouble } from "../failures/output-trouble.ts";
import { explained } from "../help/help-text.ts";
import { eventFilterOf, withEventFilter, type EventFilterFlags } from "../input/event-filter.ts";
import { allTypes } from "../input/event-type-names.ts";
import { eventLine } from "../print/event-line.ts";
import { tooManyHint } from "./events-add.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { jsonText } from "../terminal/json-text.ts";

interface TailOptions extends EventFilterFlags {
  readonly from?: string;
}

export function addTail(program: Command, surroundings: Surroundings): void {
  const command = withEventFilter(
    apiCommand(program, "tail [endpointId]").description(
      "show events as they happen, one on each line, until Ctrl-C",
    ),
  )
    .option("--from <position>", "of an endpoint: oldest, or behind the position of an event")
    .addHelpText(
      "after",
      explained(
        "Without an endpoint it makes one for as long as it runs, and shows what happens from now on; without --type all types. With one it shows what that endpoint gets. A broken connection is made again, and nothing is missed.",
        ["postdate tail", "everything"],
        ["postdate tail --target billing --type target.*,job.*", "some of it"],
        ["postdate tail feed --from oldest --json", "all that is kept, one JSON object a line"],
      ),
    )
    .action(async (endpointId: string | undefined, options: TailOptions) => {
      const filter = eventFilterOf(options);
      if (endpointId !== undefined && Object.keys(filter).length > 0) {
        command.error(
          "error: the endpoint says which events it gets: leave out --type, --target and --label, or the endpoint",
        );
      }
      if (endpointId === undefined && options.from !== undefined) {
        command.error("error: --from is for an endpoint that exists: name one");
      }
      const connection = connect(command, surroundings);
      const stopping = new AbortController();
      let outputFailure: Error | undefined;
      const stop = (): void => stopping.abort();
      const stopListening = [
        surroundings.onStopSignal(stop),
        surroundings.onOutputGone((trouble) => {
          outputFailure ??= trouble;
          stop();
        }),
      ];
      const tail = { surroundings, signal: stopping.signal };
      try {
        await (endpointId === undefined
          ? showOwnEvents(connection, filter, tail)
          : showEvents(connection, endpointId, { ...tail, from: options.from }));
      } finally {
        for (const end of stopListening) end();
      }
      if (outputFailure !== undefined) {
        throw new CommandFailed(exitCodes.refused, outputTrouble(outputFailure));
      }
    });
}

interface Tail {
  readonly surroundings: Surroundings;
  readonly signal: AbortSignal;
  readonly from?: string | undefined;
}

const everyType = [...allTypes] as EventTypePattern[];

/** Tells what is left of a command that was killed from other endpoints. */
const idPrefix = "tail_";
/** Nobody waits longer for a command that has ended. */
const removalTimeoutMs = 5_000;

/** With an endpoint of its own, which goes when the command ends. */
async function showOwnEvents(
  connection: Connection,
  filter: ReturnType<typeof eventFilterOf>,
  tail: Tail,
): Promise<void> {
  const { service, hint, note } = connection;
  const endpointId = idPrefix + tail.surroundings.random.bytes(8).toString("hex");
  const endpoint: CreateEventEndpoint = { endpointId, kind: "stream", types: everyType, ...filter };
  const remove = (): Promise<unknown> =>
    service.ask(({ events }) => events.remove(endpointId, { timeoutMs: removalTimeoutMs }));
  try {
    await service.ask(({ events }) => events.create(endpoint));
  } catch (error) {
    if (isRefusal(error, codes.tooManyEventEndpoints)) hint(tooManyHint);
    else if (isRefusal(error, codes.insufficientScope)) hint(mayNotMakeHint);
    // If the answer was lost, there may be one.
    else if (!isRefusal(error)) await remove().catch(() => {});
    throw error;
  }
  hint(`Waiting for events as ${endpointId}; Ctrl-C ends it, and removes that endpoint.`);
  try {
    await warnOfUnknownTargets(connection, filter.targetIds);
    await showEvents(connection, endpointId, { ...tail, from: "oldest" });
  } finally {
    await remove().catch((error: unknown) => {
      // Somebody else may have removed it.
      if (!isRefusal(error, codes.eventEndpointNotFound)) note(leftOver(endpointId));
    });
  }
}

const mayNotMakeHint =
  "`postdate tail` makes an event endpoint, which a key that only reads may not. `postdate tail <endpointId>` shows one that exists; `postdate events list` shows them all.";

function leftOver(endpointId: string): string {
  return `The event endpoint of this command may still be there: \`postdate events remove ${endpointId}\` removes it.`;
}

function isRefusal(error: unknown, code?: string): boolean {
  if (!(error instanceof CommandFailed)) return false;
  return error.problems.some((problem) => code === undefined || problem.code === code);
}

async function showEvents(
  connection: Connection,
  endpointId: string,
  { surroundings, signal, from }: Tail,
): Promise<void> {
  const { service, json, worded, note } = connection;
  const follow = async ({ events }: Postdate): Promise<void> => {
    let isBroken = false;
    const stream = events.stream(endpointId, {
      ...{ signal, from },
      onGap: () =>
        note(
          "Some events are missing: they left the retention before they could be shown, or a backup was restored.",
        ),
      onBreak: () => {
        isBroken = true;
        note("The connection broke; connecting again.");
      },
      onOpen: () => {
        if (isBroken) note("Connected again.");
        isBroken = false;
      },
    });
    for await (const event of stream) {
      surroundings.stdout.write(
        json ? jsonText(event) : worded(event, (told, look) => eventLine(told, look)),
      );
    }
  };
  try {
    await askAboutEventEndpoint(service, endpointId, follow);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
