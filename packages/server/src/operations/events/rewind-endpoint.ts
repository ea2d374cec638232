import type { Caller } from "../../domain/access.ts";
import type { EventEndpoint } from "../../domain/events/event-endpoint.ts";
import type { EventPosition } from "../../domain/events/event.ts";
import type { Instant } from "../../domain/instant.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { formatTime } from "../../domain/times.ts";
import type { Store } from "../../storage/store.ts";
import { readGivenTime } from "../messages/given-time.ts";
import { addProblems } from "../targets/create-target.ts";
import { changeEndpoint } from "./change-endpoint.ts";
import type { ChangeEndpointOptions } from "./change-endpoint.ts";
import { onlyForWebhooks } from "./endpoint-ref.ts";
import { viewEndpoint } from "./endpoint-view.ts";
import type { EndpointView, ViewEndpointOptions } from "./endpoint-view.ts";
import { leftOutEvents } from "./left-out-events.ts";
import type { LeftOut, LeftOutOptions } from "./left-out-events.ts";

export type RewindEndpointOptions = ChangeEndpointOptions &
  ViewEndpointOptions &
  LeftOutOptions & { readonly store: Pick<Store, "findPosition" | "clock"> };

/** Fields that failed their schema are left out. */
export interface GivenRewind {
  readonly to?: string | undefined;
  /** Leaves events out where the time is ahead of the position. */
  readonly skip?: boolean | undefined;
}

/** Sends the events of this time or later once more. A place ahead of the position must be asked for: it leaves events out. */
export async function rewindEventEndpoint(
  options: RewindEndpointOptions,
  caller: Caller,
  endpointId: string,
  given: GivenRewind,
  formProblems: readonly Problem[] = [],
): Promise<EndpointView> {
  const { store } = options;
  const found: Problem[] = [];
  const to = readPastTime(given.to, store.clock.now(), found);
  const problems = addProblems(formProblems, found);
  if (problems.length > 0) throw new RequestRefused(...problems);
  const skip = given.skip === true;
  const detail = { to: formatTime(to!), ...(skip && { skip }) };
  const audited = { action: "event-endpoint.rewound", detail } as const;
  const endpoint = await changeEndpoint(options, caller, endpointId, audited, async (now) => {
    if (now.kind !== "webhook") throw new RequestRefused(noRewindOfStream);
    const position = await store.findPosition(caller.accountId, to!);
    if (!skip) await refuseToSkip(options, now, position);
    return { position };
  });
  return viewEndpoint(options, endpoint);
}

/** The clock of a caller who means now may be ahead by so much. */
const clockDifferenceMs = 60_000;

function readPastTime(
  text: string | undefined,
  now: Instant,
  problems: Problem[],
): Instant | undefined {
  const time = readGivenTime(text, "to", problems);
  if (time !== undefined && time > now + clockDifferenceMs) problems.push(toInTheFuture);
  return time;
}

async function refuseToSkip(
  options: LeftOutOptions,
  endpoint: EventEndpoint,
  position: EventPosition,
): Promise<void> {
  const leftOut = await leftOutEvents(options, endpoint, position);
  if (leftOut.wanted > 0 || leftOut.unseen > 0) throw new RequestRefused(aheadOfIt(leftOut));
}

function aheadOfIt(leftOut: LeftOut): Problem {
  return {
    code: codes.invalidRequest,
    message: `to is ahead of where the event endpoint is: ${leftOutText(leftOut)} would be left out. Give an earlier time, or skip: true to leave them out.`,
    field: "to",
  };
}

/** What was not looked at may be for others. */
function leftOutText({ wanted, unseen }: LeftOut): string {
  if (wanted === 0) return `perhaps some of ${unseen} further events`;
  const bound = unseen === 0 ? "" : "at least ";
  return `${bound}${wanted} ${wanted === 1 ? "event" : "events"} that it has not been sent`;
}

const toInTheFuture: Problem = {
  code: codes.invalidRequest,
  message:
    "to must not be in the future: only what has happened is sent again. Give an earlier time. To leave out everything up to now, give the time of now and skip: true.",
  field: "to",
};

const noRewindOfStream: Problem = {
  ...onlyForWebhooks("A rewind"),
  message:
    "A stream is not rewound: its callers know how far they are. Read it with from=oldest, or from an earlier position.",
};
