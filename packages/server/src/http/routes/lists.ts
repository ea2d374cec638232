import type { FastifyRequest } from "fastify";
import { MessageListQuery, MessagePage, named, TargetPath } from "@postdate/contract";
import { requestProblems } from "../errors/request-problems.ts";
import { wireMessage, wirePage } from "../wire/wire-messages.ts";
import { errorAnswers, securityOf } from "./error-schemas.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Messages"];
const wholeNumber = /^(?:0|[1-9]\d{0,8})$/;

/** Parameters arrive as text; only plain decimal digits are a number. */
export function readLimit(
  request: FastifyRequest,
  _reply: unknown,
  done: (error?: Error) => void,
): void {
  const query = request.query as Record<string, unknown>;
  const { limit } = query;
  if (typeof limit === "string" && wholeNumber.test(limit)) query["limit"] = Number(limit);
  done();
}

/** The parameters that have the right form, and what is wrong with the others. */
export function soundQuery<Query extends object>(
  request: Pick<FastifyRequest, "validationError">,
  query: Query,
) {
  if (request.validationError === undefined) return { ...query, problems: [] };
  const problems = requestProblems(request as FastifyRequest);
  const faulty = new Set(problems.map(({ field }) => field));
  const sound = Object.entries(query).filter(([name]) => !faulty.has(name));
  return { ...(Object.fromEntries(sound) as Partial<Query>), problems };
}

export function listRoutes(api: Api, { operations, guards }: RouteOptions): void {
  api.get(
    "/v1/targets/:targetId/scheduled-messages",
    {
      onRequest: guards.readMessages,
      preValidation: readLimit,
      attachValidation: true,
      schema: {
        operationId: "listScheduledMessages",
        tags,
        summary: "List the scheduled messages of a target",
        description:
          "By `nextDeliveryTime`, the closest first; `minTime` and `maxTime` compare with it, both inclusive. An unknown target has no messages.",
        security: securityOf("readMessages"),
        params: TargetPath,
        querystring: MessageListQuery,
        response: { 200: named(MessagePage), ...errorAnswers() },
      },
    },
    async (request) => {
      const { caller, params } = request;
      const query = soundQuery(request, request.query);
      const page = await operations.listScheduledMessages(caller, params.targetId, query);
      return wirePage(page, wireMessage);
    },
  );

  api.get(
    "/v1/targets/:targetId/dead-letters",
    {
      onRequest: guards.readMessages,
      preValidation: readLimit,
      attachValidation: true,
      schema: {
        operationId: "listDeadLetters",
        tags,
        summary: "List the dead letters of a target",
        description:
          "By `deadLetterTime`, the oldest first; `minTime` and `maxTime` compare with it, both inclusive. An unknown target has no messages.",
        security: securityOf("readMessages"),
        params: TargetPath,
        querystring: MessageListQuery,
        response: { 200: named(MessagePage), ...errorAnswers() },
      },
    },
    async (request) => {
      const { caller, params } = request;
      const query = soundQuery(request, request.query);
      const page = await operations.listDeadLetters(caller, params.targetId, query);
      return wirePage(page, wireMessage);
    },
  );
}
