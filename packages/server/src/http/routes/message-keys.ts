import {
  Message,
  MessageKeyPath,
  named,
  NoBody,
  NoQuery,
  RescheduleMessage,
} from "@postdate/contract";
import { soundBody } from "../errors/request-problems.ts";
import { wireMessage } from "../wire/wire-messages.ts";
import { bodyErrorAnswers, errorAnswers } from "./error-schemas.ts";
import { answerNothing, unknownMessage } from "./messages.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Messages"];

/** What can be done to the scheduled message of a target that has a key. */
export function messageKeyRoutes(api: Api, { operations, bodyLimits }: RouteOptions): void {
  api.get(
    "/v1/targets/:targetId/keys/:key",
    {
      config: { access: "readMessages" },
      schema: {
        operationId: "getMessageByKey",
        tags,
        summary: "Get the scheduled message that has a key",
        params: MessageKeyPath,
        querystring: NoQuery,
        response: { 200: named(Message), ...errorAnswers(), 404: unknownMessage },
      },
    },
    async (request, reply) => {
      const message = await operations.getMessageByKey(request.caller, request.params);
      return message === undefined ? answerNothing(reply) : wireMessage(message);
    },
  );

  api.post(
    "/v1/targets/:targetId/keys/:key/cancel",
    {
      config: { access: "writeMessages", bodyMayBeMissing: true },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "cancelMessageByKey",
        tags,
        summary: "Cancel the scheduled message that has a key",
        description: "As cancelling it by its id.",
        params: MessageKeyPath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(Message), ...bodyErrorAnswers() },
      },
    },
    async (request) =>
      wireMessage(await operations.cancelMessageByKey(request.caller, request.params)),
  );

  api.post(
    "/v1/targets/:targetId/keys/:key/reschedule",
    {
      config: { access: "writeMessages" },
      bodyLimit: bodyLimits.small,
      attachValidation: true,
      schema: {
        operationId: "rescheduleMessageByKey",
        tags,
        summary: "Reschedule the scheduled message that has a key",
        description: "As rescheduling it by its id.",
        params: MessageKeyPath,
        querystring: NoQuery,
        body: named(RescheduleMessage),
        response: { 200: named(Message), ...bodyErrorAnswers(409) },
      },
    },
    async (request) => {
      const { caller, params } = request;
      const { fields, problems } = soundBody(request, request.body);
      return wireMessage(await operations.rescheduleMessageByKey(caller, params, fields, problems));
    },
  );
}
