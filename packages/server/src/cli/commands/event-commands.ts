import type { EventEndpoint, Postdate } from "@postdate/client";
import type { Command } from "commander";
import { apiCommand, connect, type Connection } from "../connection/connection.ts";
import { askAboutEventEndpoint, readEventEndpoint } from "../connection/look-up-event-endpoint.ts";
import { showPages, withPaging, type PagingOptions } from "../connection/show-pages.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { examples } from "../help/help-text.ts";
import { attemptRows } from "../print/attempts.ts";
import { eventEndpointCard, eventEndpointRows, remedyOf } from "../print/event-endpoints.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { asWords } from "../terminal/constants.ts";
import { addEventsAdd } from "./events-add.ts";
import { addEventsRewind } from "./events-rewind.ts";
import { addEventsRotateSecret } from "./events-rotate-secret.ts";
import { addEventsUpdate } from "./events-update.ts";

export function addEvents(program: Command, surroundings: Surroundings): void {
  const events = program
    .command("events")
    .description("who is told when something happens: streams to read, and webhooks")
    .addHelpText(
      "after",
      examples(
        [
          "postdate events add --id alarms --webhook https://example.com/hook --type message.dead_lettered",
          "be told about dead letters",
        ],
        ["postdate events test alarms", "does its receiver answer?"],
        ["postdate tail", "see events here, as they happen"],
      ),
    );
  addEventsAdd(events, surroundings);
  addEventsList(events, surroundings);
  addEventsVerb(events, surroundings, {
    ...{ verb: "get", description: "show an endpoint, and how far a webhook is" },
    call: async (_, endpointId, service) => readEventEndpoint(service, endpointId),
  });
  addEventsUpdate(events, surroundings);
  addEventsVerb(events, surroundings, {
    ...{ verb: "pause", description: "send nothing to a webhook until it is resumed" },
    call: (postdate, endpointId) => postdate.events.pause(endpointId),
  });
  addEventsVerb(events, surroundings, {
    ...{ verb: "resume", description: "send again, also to a webhook that answered 410" },
    call: (postdate, endpointId) => postdate.events.resume(endpointId),
  });
  addEventsTest(events, surroundings);
  addEventsRotateSecret(events, surroundings);
  addEventsRewind(events, surroundings);
  addEventsRemove(events, surroundings);
}

function addEventsList(events: Command, surroundings: Surroundings): void {
  const command = withPaging(apiCommand(events, "list"))
    .description("list the endpoints")
    .addHelpText("after", examples(["postdate events list", "at most ten in an account"]))
    .action(async (options: PagingOptions) => {
      await showPages({
        connection: connect(command, surroundings),
        list: (postdate, paging) => postdate.events.list(paging),
        options,
        stdout: surroundings.stdout,
        none: () => "No event endpoints yet: postdate events add makes one.",
        rows: eventEndpointRows,
      });
    });
}

interface Verb {
  readonly verb: "get" | "pause" | "resume";
  readonly description: string;
  readonly call: (
    postdate: Postdate,
    endpointId: string,
    service: ReturnType<typeof connect>["service"],
  ) => Promise<EventEndpoint>;
}

/** The commands that name an endpoint and show it as it is afterwards. */
function addEventsVerb(
  events: Command,
  surroundings: Surroundings,
  { verb, description, call }: Verb,
): void {
  const command = apiCommand(events, `${verb} <endpointId>`)
    .description(description)
    .addHelpText("after", examples([`postdate events ${verb} alarms`, description]))
    .action(async (endpointId: string) => {
      const { service, show } = connect(command, surroundings);
      const endpoint = await askAboutEventEndpoint(service, endpointId, (postdate) =>
        call(postdate, endpointId, service),
      );
      show(endpoint, eventEndpointCard);
    });
}

function addEventsTest(events: Command, surroundings: Surroundings): void {
  const command = apiCommand(events, "test <endpointId>")
    .description("send a test event to a webhook now; fails unless its receiver took it")
    .addHelpText("after", examples(["postdate events test alarms", "does it answer?"]))
    .action(async (endpointId: string) => {
      const connection = connect(command, surroundings);
      const { service, worded, show } = connection;
      const answer = await askAboutEventEndpoint(service, endpointId, ({ events: all }) =>
        all.test(endpointId),
      );
      show(answer, ({ attempt }, look) => attemptRows([attempt], look));
      await warnOfRest(connection, endpointId);
      const failure = worded(answer, ({ attempt: { outcome, error } }) =>
        outcome === "DELIVERED" ? undefined : `Not taken: ${error ?? asWords(outcome)}`,
      );
      if (failure !== undefined) throw new CommandFailed(exitCodes.refused, failure);
    });
}

/** A test is sent to a webhook that rests, too, and says nothing of that. */
async function warnOfRest(
  { service, note, worded }: Connection,
  endpointId: string,
): Promise<void> {
  const endpoint = await readEventEndpoint(service, endpointId).catch(() => null);
  const warning = endpoint && worded(endpoint, restOf);
  if (warning !== null) note(warning);
}

function restOf(endpoint: EventEndpoint): string | null {
  const remedy = remedyOf(endpoint);
  const state = endpoint.disabledTime === null ? "paused" : "disabled";
  return (
    remedy &&
    `${endpoint.endpointId} is ${state}, and gets only tests: \`${remedy}\` sends it events again.`
  );
}

function addEventsRemove(events: Command, surroundings: Surroundings): void {
  const command = apiCommand(events, "remove <endpointId>")
    .description("remove an endpoint: nothing more is kept for it")
    .addHelpText("after", examples(["postdate events remove alarms", "its streams end"]))
    .action(async (endpointId: string) => {
      const { service, show } = connect(command, surroundings);
      const removed = await askAboutEventEndpoint(service, endpointId, ({ events: all }) =>
        all.remove(endpointId),
      );
      show(removed, () => `Removed ${endpointId}.\n`);
    });
}
