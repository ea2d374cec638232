import {
  FindMessagesQuery,
  FoundMessagePage,
  MessageListQuery,
  MessagePage,
  named,
  TargetPath,
} from "@postdate/contract";
import { timeOrNull, wireMessage, wirePage } from "../wire/wire-messages.ts";
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
  addSearch(api, options);
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

function addSearch(api: Api, { operations }: RouteOptions): void {
  api.get(
    "/v1/messages",
    {
      ...inPages,
      config: { access: "readMessages" },
      schema: {
        operationId: "findMessages",
        tags,
        summary: "Find messages",
        description:
          "Finds messages of all targets by state, target, labels and the time at which they were scheduled. One call looks at a bounded number of messages: follow `nextPageToken` until it is null, also from a page that is short or empty. `searchedUntil` says how far the search has come. With a label it looks only at messages that have it.",
        querystring: FindMessagesQuery,
        response: { 200: named(FoundMessagePage), ...errorAnswers() },
      },
    },
    async (request) => {
      const query = soundQuery(request, request.query);
      const page = await operations.findMessages(request.caller, query);
      return { ...wirePage(page, wireMessage), searchedUntil: timeOrNull(page.searchedUntil) };
    },
  );
}
