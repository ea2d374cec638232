import type { Postdate } from "@postdate/client";
import type { Command } from "commander";
import { apiCommand, connect, type Connection } from "../connection/connection.ts";
import { askAboutEventEndpoint } from "../connection/look-up-event-endpoint.ts";
import { explained } from "../help/help-text.ts";
import { eventFilterOf, withEventFilter, type EventFilterFlags } from "../input/event-filter.ts";
import { eventLine } from "../print/event-line.ts";
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
      const stopListening = surroundings.onStopSignal(() => stopping.abort());
      const tail = { surroundings, signal: stopping.signal };
      try {
        await (endpointId === undefined
          ? showOwnEvents(connection, filter, tail)
          : showEvents(connection, endpointId, { ...tail, from: options.from }));
      } finally {
        stopListening();
      }
    });
}

interface Tail {
  readonly surroundings: Surroundings;
  readonly signal: AbortSignal;
  readonly from?: string | undefined;
}

const everyType = ["message.*", "target.*", "schedule.*", "job.*", "endpoint.*"] as const;

/** With an endpoint of its own, which goes when the command ends. */
async function showOwnEvents(
  connection: Connection,
  filter: ReturnType<typeof eventFilterOf>,
  tail: Tail,
): Promise<void> {
  const { service, hint } = connection;
  const { endpointId } = await service.ask(({ events }) =>
    events.create({ kind: "stream", types: [...everyType], ...filter }),
  );
  hint("Waiting for events; Ctrl-C ends it.");
  try {
    await showEvents(connection, endpointId, { ...tail, from: "oldest" });
  } finally {
    // Somebody else may have removed it.
    await service.ask(({ events }) => events.remove(endpointId)).catch(() => {});
  }
}

async function showEvents(
  connection: Connection,
  endpointId: string,
  { surroundings, signal, from }: Tail,
): Promise<void> {
  const { service, json, worded, note } = connection;
  const follow = async ({ events }: Postdate): Promise<void> => {
    const stream = events.stream(endpointId, {
      ...{ signal, from },
      onGap: () => note("Some events had left the retention before they could be shown."),
      onBreak: () => note("The connection broke; connecting again."),
    });
    for await (const event of stream) {
      surroundings.stdout.write(json ? jsonText(event) : worded(event, eventLine));
    }
  };
  try {
    await askAboutEventEndpoint(service, endpointId, follow);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
