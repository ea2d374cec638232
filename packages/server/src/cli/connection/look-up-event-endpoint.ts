import type { EventEndpoint, Postdate } from "@postdate/client";
import { nearNames } from "../../config/near-names.ts";
import { codes } from "../../domain/refusals.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { eventEndpointIds } from "./known-ids.ts";
import type { Service } from "./service.ts";

/** The service's error for a missing endpoint is written for programs. This one is for people. */
export async function askAboutEventEndpoint<Answer>(
  service: Service,
  endpointId: string,
  call: (postdate: Postdate) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await service.ask(call);
  } catch (error) {
    const isMissing =
      error instanceof CommandFailed &&
      error.problems.some(({ code }) => code === codes.eventEndpointNotFound);
    if (isMissing) throw await noSuchEndpoint(service, endpointId);
    throw error;
  }
}

export async function readEventEndpoint(
  service: Service,
  endpointId: string,
): Promise<EventEndpoint> {
  const endpoint = await service.ask(({ events }) => events.get(endpointId));
  if (endpoint === null) throw await noSuchEndpoint(service, endpointId);
  return endpoint;
}

async function noSuchEndpoint(service: Service, endpointId: string): Promise<CommandFailed> {
  const near = nearNames(endpointId, await eventEndpointIds(service));
  const hint =
    near.length === 0
      ? "`postdate events list` shows all, `postdate events add` makes one."
      : `Did you mean ${near.join(" or ")}?`;
  const message = `There is no event endpoint ${endpointId}. ${hint}`;
  const problem = { code: codes.eventEndpointNotFound, message };
  return new CommandFailed(exitCodes.notFound, message).because([problem]);
}
