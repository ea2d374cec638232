import { named, NodeList, NoQuery } from "@postdate/contract";
import { formatTime } from "../../domain/times.ts";
import { errorAnswers, securityOf } from "./error-schemas.ts";
import type { Api, RouteOptions } from "./route-options.ts";

export function nodeRoutes(api: Api, { operations, guards }: RouteOptions): void {
  api.get(
    "/v1/nodes",
    {
      onRequest: guards.readAll,
      schema: {
        operationId: "listNodes",
        tags: ["Service"],
        summary: "List the nodes",
        description:
          "Every server process that works on the store and is alive. For the default account alone.",
        security: securityOf("readAll"),
        querystring: NoQuery,
        response: { 200: named(NodeList), ...errorAnswers() },
      },
    },
    async ({ caller }) => ({
      items: (await operations.listNodes(caller)).map((node) => ({
        ...node,
        joinTime: formatTime(node.joinTime),
      })),
    }),
  );
}
