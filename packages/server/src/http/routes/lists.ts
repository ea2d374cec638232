import { MessageListQuery, MessagePage, named, TargetPath } from "@postdate/contract";
import { wireMessage, wirePage } from "../wire/wire-messages.ts";
import { errorAnswers } from "./error-schemas.ts";
import { inPages, soundQuery } from "./page-query.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Messages"];

export function listRoutes(api: Api, options: RouteOptions): void {
  addMessageList(api, options, {
    operation: "listScheduledMessages",
    resource: "scheduled-messages",
    summary: "List the scheduled messages of a target",
    order: "Ordered by `nextDeliveryTime`, the earliest first",
  });
  addMessageList(api, options, {
    operation: "listDeadLetters",
    resource: "dead-letters",
    summary: "List the dead letters of a target",
    order: "Ordered by `deadLetterTime`, the oldest first",
  });
}

interface MessageList {
  readonly operation: "listScheduledMessages" | "listDeadLetters";
  readonly resource: string;
  readonly summary: string;
  readonly order: string;
}

function addMessageList(api: Api, { operations }: RouteOptions, list: MessageList): void {
  const { operation, resource, summary, order } = list;
  api.get(
    `/v1/targets/:targetId/${resource}`,
    {
      ...inPages,
      config: { access: "readMessages" },
      schema: {
        operationId: operation,
        tags,
        summary,
        description: `${order}; \`minTime\` and \`maxTime\` apply to the same field, both inclusive. The list of an unknown target is empty.`,
        params: TargetPath,
        querystring: MessageListQuery,
        response: { 200: named(MessagePage), ...errorAnswers() },
      },
    },
    async (request) => {
      const { caller, params } = request;
      const query = soundQuery(request, request.query);
      return wirePage(await operations[operation](caller, params.targetId, query), wireMessage);
    },
  );
}
