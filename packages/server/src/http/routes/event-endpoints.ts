import {
  CreateEventEndpoint,
  EventEndpoint,
  EventEndpointListQuery,
  EventEndpointPage,
  EventEndpointPath,
  EventEndpointWithSecret,
  named,
  NoBody,
  NoQuery,
  UpdateEventEndpoint,
} from "@postdate/contract";
import { soundBody } from "../errors/request-problems.ts";
import { wireEndpoint, wireEndpointWithSecret } from "../wire/wire-event-endpoints.ts";
import { wirePage } from "../wire/wire-messages.ts";
import { bodyErrorAnswers, errorAnswers } from "./error-schemas.ts";
import { eventEndpointActionRoutes } from "./event-endpoint-actions.ts";
import { inPages, soundQuery } from "./page-query.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Events"];

export function eventEndpointRoutes(api: Api, options: RouteOptions): void {
  const { operations } = options;

  api.post(
    "/v1/event-endpoints",
    {
      config: { access: "writeAll" },
      attachValidation: true,
      schema: {
        operationId: "createEventEndpoint",
        tags,
        summary: "Create an event endpoint",
        description:
          "Whatever happens after the answer is told. An account has at most 10. Only this answer shows the signing secret of a webhook: keep it.",
        querystring: NoQuery,
        body: named(CreateEventEndpoint),
        response: { 201: named(EventEndpointWithSecret), ...bodyErrorAnswers(409) },
      },
    },
    async (request, reply) => {
      const { fields, problems } = soundBody(request, request.body);
      const made = await operations.createEventEndpoint(request.caller, fields, problems);
      void reply.code(201).header("cache-control", "no-store");
      return wireEndpointWithSecret(made);
    },
  );

  api.get(
    "/v1/event-endpoints",
    {
      ...inPages,
      config: { access: "readAll" },
      schema: {
        operationId: "listEventEndpoints",
        tags,
        summary: "List the event endpoints",
        description: "Ordered by `endpointId`.",
        querystring: EventEndpointListQuery,
        response: { 200: named(EventEndpointPage), ...errorAnswers() },
      },
    },
    async (request) => {
      const query = soundQuery(request, request.query);
      return wirePage(await operations.listEventEndpoints(request.caller, query), wireEndpoint);
    },
  );

  api.get(
    "/v1/event-endpoints/:endpointId",
    {
      config: { access: "readAll" },
      schema: {
        operationId: "getEventEndpoint",
        tags,
        summary: "Get an event endpoint",
        params: EventEndpointPath,
        querystring: NoQuery,
        response: { 200: named(EventEndpoint), ...errorAnswers(404) },
      },
    },
    async ({ caller, params }) =>
      wireEndpoint(await operations.getEventEndpoint(caller, params.endpointId)),
  );

  api.patch(
    "/v1/event-endpoints/:endpointId",
    {
      attachValidation: true,
      config: {
        access: "writeAll",
        refusedFields: {
          endpointId: "endpointId cannot be changed. Create another event endpoint instead.",
          kind: "kind cannot be changed. Create another event endpoint instead.",
          secret:
            "secret cannot be changed here. Use POST /v1/event-endpoints/{endpointId}/rotate-secret.",
          paused:
            "paused cannot be changed here. Use POST /v1/event-endpoints/{endpointId}/pause or /resume.",
        },
      },
      schema: {
        operationId: "updateEventEndpoint",
        tags,
        summary: "Change an event endpoint",
        description:
          "Given fields replace the old values, null restores a default, and fields that are left out stay as they are. Readers get what the new fields let through, also of what happened before. Events that nobody subscribed to when they happened are in no log. What a request that is under way tells is sent again after a change of the filter, url or headers.",
        params: EventEndpointPath,
        querystring: NoQuery,
        body: named(UpdateEventEndpoint),
        response: { 200: named(EventEndpoint), ...bodyErrorAnswers(404, 409) },
      },
    },
    async (request) => {
      const { caller, params } = request;
      const { fields, problems } = soundBody(request, request.body);
      return wireEndpoint(
        await operations.updateEventEndpoint(caller, params.endpointId, fields, problems),
      );
    },
  );

  api.delete(
    "/v1/event-endpoints/:endpointId",
    {
      config: { access: "writeAll", bodyMayBeMissing: true },
      schema: {
        operationId: "removeEventEndpoint",
        tags,
        summary: "Remove an event endpoint",
        description:
          "Answers with the endpoint as it was. Streams of it end, and nothing more is sent, but a request that is under way may end.",
        params: EventEndpointPath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(EventEndpoint), ...bodyErrorAnswers(404) },
      },
    },
    async ({ caller, params }) =>
      wireEndpoint(await operations.removeEventEndpoint(caller, params.endpointId)),
  );

  eventEndpointActionRoutes(api, options);
}
