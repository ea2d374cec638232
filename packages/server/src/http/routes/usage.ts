import { named, NoQuery, Usage } from "@postdate/contract";
import { wireUsage } from "../wire/wire-access.ts";
import { errorAnswers } from "./error-schemas.ts";
import type { Api, RouteOptions } from "./route-options.ts";

export function usageRoute(api: Api, { operations }: RouteOptions): void {
  api.get(
    "/v1/usage",
    {
      config: { access: "readMessages" },
      schema: {
        operationId: "getUsage",
        tags: ["Accounts"],
        summary: "Get this month's usage",
        description:
          "Accepted messages count. Idempotent repeats and refused calls do not. If the account has a limit, the answers to scheduling calls show it too, in `RateLimit` and `RateLimit-Policy`.",
        querystring: NoQuery,
        response: { 200: named(Usage), ...errorAnswers() },
      },
    },
    async ({ caller }) => wireUsage(await operations.getUsage(caller)),
  );
}
