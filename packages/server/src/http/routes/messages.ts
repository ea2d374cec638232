import {
  AttemptList,
  IdempotencyHeaders,
  Message,
  MessagePath,
  MessagePayload,
  named,
  NoBody,
  NoQuery,
  RescheduleMessage,
  ScheduleMessage,
  Type,
} from "@postdate/contract";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { requestProblems, soundBody } from "../errors/request-problems.ts";
import { tellingMonthlyLimit } from "../admission/telling-monthly-limit.ts";
import { hangUpOf } from "../wire/hang-up.ts";
import { wireAttempt, wireMessage } from "../wire/wire-messages.ts";
import { readDraft, readIdempotencyKey } from "./read-draft.ts";
import { bodyErrorAnswers, errorAnswers } from "./error-schemas.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Messages"];
const none: readonly Problem[] = [];
const keyBelongsInHeader =
  "Only messages of a batch have an idempotencyKey. Send the key as the header Idempotency-Key.";
export const unknownMessage = Type.Null({
  description: "There is no such message. The answer has no body.",
});

/** Answers 404 without a body, not even `null`. */
export function answerNothing<Reply extends { code(status: 404): { send(payload: never): Reply } }>(
  reply: Reply,
): Reply {
  return reply.code(404).send(undefined as never);
}

export function messageRoutes(api: Api, { operations, bodyLimits }: RouteOptions): void {
  api.post(
    "/v1/messages",
    {
      // The handler reports schema errors together with the problems that the operation finds.
      attachValidation: true,
      config: {
        access: "writeMessages",
        documentedHeaders: IdempotencyHeaders,
        refusedFields: { idempotencyKey: keyBelongsInHeader },
      },
      schema: {
        operationId: "scheduleMessage",
        tags,
        summary: "Schedule a message",
        description:
          "Stores the message and delivers it to its target at `deliveryTime`, or `delayMs` after it was accepted. After a 200 the message is durable.",
        querystring: NoQuery,
        body: named(ScheduleMessage),
        response: { 200: named(Message), ...bodyErrorAnswers(409, 422) },
      },
    },
    async (request, reply) => {
      const sound = request.validationError === undefined && request.loneSurrogates === null;
      const draft = readDraft(
        request.body,
        sound ? none : requestProblems(request),
        request.traceParent,
      );
      const key = readIdempotencyKey(request.headers);
      const { caller } = request;
      const scheduled = await tellingMonthlyLimit(operations, caller, reply, () =>
        operations.scheduleMessage(caller, draft, key, () => hangUpOf(reply)),
      );
      if (scheduled.repeated) void reply.header("idempotency-replayed", "true");
      if (scheduled.keyOutcome !== null) {
        void reply.header("postdate-key-outcome", scheduled.keyOutcome);
      }
      return wireMessage(scheduled.message);
    },
  );

  api.get(
    "/v1/messages/:messageId",
    {
      config: { access: "readMessages" },
      schema: {
        operationId: "getMessage",
        tags,
        summary: "Get a message",
        params: MessagePath,
        querystring: NoQuery,
        response: { 200: named(Message), ...errorAnswers(), 404: unknownMessage },
      },
    },
    async (request, reply) => {
      const message = await operations.getMessage(request.caller, request.params.messageId);
      return message === undefined ? answerNothing(reply) : wireMessage(message);
    },
  );

  api.get(
    "/v1/messages/:messageId/payload",
    {
      config: { access: "readMessages" },
      schema: {
        operationId: "readPayload",
        tags,
        summary: "Read the payload of a message",
        params: MessagePath,
        querystring: NoQuery,
        response: { 200: named(MessagePayload), ...errorAnswers(), 404: unknownMessage },
      },
    },
    async (request, reply) => {
      const { messageId } = request.params;
      const payload = await operations.readPayload(request.caller, messageId);
      return payload === undefined ? answerNothing(reply) : { messageId, payload };
    },
  );

  api.get(
    "/v1/messages/:messageId/attempts",
    {
      config: { access: "readMessages" },
      schema: {
        operationId: "listAttempts",
        tags,
        summary: "List the attempts at a message",
        description:
          "The outcome of each attempt; of more than 1,000, those of the latest 1,000. Only the scopes `scheduler.all.*` show what the target answered.",
        params: MessagePath,
        querystring: NoQuery,
        response: { 200: named(AttemptList), ...errorAnswers(), 404: unknownMessage },
      },
    },
    async (request, reply) => {
      const { messageId } = request.params;
      const attempts = await operations.listAttempts(request.caller, messageId);
      if (attempts === undefined) return answerNothing(reply);
      return { messageId, attempts: attempts.map(wireAttempt) };
    },
  );

  api.post(
    "/v1/messages/:messageId/cancel",
    {
      config: { access: "writeMessages", bodyMayBeMissing: true },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "cancelMessage",
        tags,
        summary: "Cancel a message",
        description: `After a 200 no attempt is running and none will start. The service waits for an attempt in flight: if it fails, the message is cancelled; if it delivers, the answer is ${codes.notCancellable}.`,
        params: MessagePath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(Message), ...bodyErrorAnswers() },
      },
    },
    async (request) =>
      wireMessage(await operations.cancelMessage(request.caller, request.params.messageId)),
  );

  api.post(
    "/v1/messages/:messageId/reschedule",
    {
      config: { access: "writeMessages" },
      bodyLimit: bodyLimits.small,
      attachValidation: true,
      schema: {
        operationId: "rescheduleMessage",
        tags,
        summary: "Reschedule a message",
        description:
          "Gives a message that was not delivered another delivery time and a fresh retry budget. Dead letters and cancelled messages can be rescheduled too. After a 200 no attempt starts before the new time.",
        params: MessagePath,
        querystring: NoQuery,
        body: named(RescheduleMessage),
        response: { 200: named(Message), ...bodyErrorAnswers(409) },
      },
    },
    async (request) => {
      const { caller, params } = request;
      const { fields, problems } = soundBody(request, request.body);
      return wireMessage(
        await operations.rescheduleMessage(caller, params.messageId, fields, problems),
      );
    },
  );
}
