import {
  EventEndpoint,
  EventEndpointPath,
  EventEndpointWithSecret,
  EventTestResult,
  named,
  NoBody,
  NoQuery,
  RewindEventEndpoint,
  RotateSecret,
} from "@postdate/contract";
import { soundBody } from "../errors/request-problems.ts";
import { hangUpOf } from "../wire/hang-up.ts";
import { wireEndpoint, wireEndpointWithSecret } from "../wire/wire-event-endpoints.ts";
import { wireAttempt } from "../wire/wire-messages.ts";
import { bodyErrorAnswers } from "./error-schemas.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Events"];

/** What only webhooks know. */
export function eventEndpointActionRoutes(api: Api, { operations }: RouteOptions): void {
  api.post(
    "/v1/event-endpoints/:endpointId/pause",
    {
      config: { access: "writeAll", bodyMayBeMissing: true },
      schema: {
        operationId: "pauseEventEndpoint",
        tags,
        summary: "Pause a webhook of events",
        description:
          "Nothing more is sent, but a request that is under way may end. What happens meanwhile is sent after a resume, unless it has left the log by then.",
        params: EventEndpointPath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(EventEndpoint), ...bodyErrorAnswers(404, 409) },
      },
    },
    async ({ caller, params }) =>
      wireEndpoint(await operations.pauseEventEndpoint(caller, params.endpointId)),
  );

  api.post(
    "/v1/event-endpoints/:endpointId/resume",
    {
      config: { access: "writeAll", bodyMayBeMissing: true },
      schema: {
        operationId: "resumeEventEndpoint",
        tags,
        summary: "Resume a webhook of events",
        description:
          "Sends on where it stopped. Also after the receiver answered 410, and at once where the next retry would come later.",
        params: EventEndpointPath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(EventEndpoint), ...bodyErrorAnswers(404, 409) },
      },
    },
    async ({ caller, params }) =>
      wireEndpoint(await operations.resumeEventEndpoint(caller, params.endpointId)),
  );

  api.post(
    "/v1/event-endpoints/:endpointId/test",
    {
      config: { access: "writeAll", bodyMayBeMissing: true },
      schema: {
        operationId: "testEventEndpoint",
        tags,
        summary: "Send a test event",
        description:
          "Sends one signed event of type `postdate.endpoint.test.v1` at once, in a list where `maxBatch` is more than 1, also while the endpoint is paused or disabled, and answers with the attempt. Nothing is kept. An account may run only a few tests at once; beyond that the answer is 429 with `Retry-After`. If the caller hangs up, its test ends.",
        params: EventEndpointPath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(EventTestResult), ...bodyErrorAnswers(404, 409) },
      },
    },
    async ({ caller, params }, reply) => {
      const { endpointId } = params;
      const tested = await operations.testEventEndpoint(caller, endpointId, hangUpOf(reply));
      return { ...tested, attempt: wireAttempt(tested.attempt) };
    },
  );

  api.post(
    "/v1/event-endpoints/:endpointId/rewind",
    {
      config: { access: "writeAll" },
      attachValidation: true,
      schema: {
        operationId: "rewindEventEndpoint",
        tags,
        summary: "Send events again",
        description:
          "The webhook is sent the events of this time or later, also those that it has taken already. A time ahead of its position leaves events out, so it is refused with their number unless `skip` is true. What was to be retried is not waited for.",
        params: EventEndpointPath,
        querystring: NoQuery,
        body: named(RewindEventEndpoint),
        response: { 200: named(EventEndpoint), ...bodyErrorAnswers(404, 409) },
      },
    },
    async (request) => {
      const { caller, params } = request;
      const { fields, problems } = soundBody(request, request.body);
      return wireEndpoint(
        await operations.rewindEventEndpoint(caller, params.endpointId, fields, problems),
      );
    },
  );

  api.post(
    "/v1/event-endpoints/:endpointId/rotate-secret",
    {
      config: { access: "writeAll", bodyMayBeMissing: true },
      attachValidation: true,
      schema: {
        operationId: "rotateEventEndpointSecret",
        tags,
        summary: "Rotate the signing secret of a webhook of events",
        description:
          "Requests are signed with the new secret and, until the overlap ends, also with the old one, as those of targets are. Only this answer shows the new secret.",
        params: EventEndpointPath,
        querystring: NoQuery,
        body: named(RotateSecret),
        response: { 200: named(EventEndpointWithSecret), ...bodyErrorAnswers(404, 409) },
      },
    },
    async (request, reply) => {
      const { caller, params } = request;
      const { fields, problems } = soundBody(request, request.body);
      void reply.header("cache-control", "no-store");
      return wireEndpointWithSecret(
        await operations.rotateEventEndpointSecret(caller, params.endpointId, fields, problems),
      );
    },
  );
}
