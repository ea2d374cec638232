import { named, NodeList, NoQuery } from "@postdate/contract";
import { formatTime } from "../../domain/times.ts";
import { errorAnswers } from "./error-schemas.ts";
import type { Api, RouteOptions } from "./route-options.ts";

export function nodeRoutes(api: Api, { operations }: RouteOptions): void {
  api.get(
    "/v1/nodes",
    {
      config: { access: "readAll" },
      schema: {
        operationId: "listNodes",
        tags: ["Service"],
        summary: "List the nodes",
        description:
          "Every server process that is alive and works on the store. Only for the default account.",
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
