import {
  AccessKeyWithKey,
  Account,
  AccountPath,
  CreateKey,
  named,
  NoBody,
  NoQuery,
} from "@postdate/contract";
import { wireAccount } from "../wire/wire-access.ts";
import { wireKey } from "../wire/wire-targets.ts";
import { bodyErrorAnswers } from "./error-schemas.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Accounts"];

export function accountActionRoutes(api: Api, { operations, bodyLimits }: RouteOptions): void {
  api.post(
    "/v1/accounts/:accountId/suspend",
    {
      config: { access: "operator", bodyMayBeMissing: true },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "suspendAccount",
        tags,
        summary: "Suspend an account",
        description:
          "Its credentials open nothing and no attempt is started for it until it is resumed; nothing is lost. Suspending it again changes nothing.",
        params: AccountPath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(Account), ...bodyErrorAnswers(404) },
      },
    },
    async ({ operator, params }) =>
      wireAccount(await operations.suspendAccount(operator, params.accountId)),
  );

  api.post(
    "/v1/accounts/:accountId/resume",
    {
      config: { access: "operator", bodyMayBeMissing: true },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "resumeAccount",
        tags,
        summary: "Resume an account",
        description:
          "What became due meanwhile is delivered. Resuming an active one changes nothing.",
        params: AccountPath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(Account), ...bodyErrorAnswers(404) },
      },
    },
    async ({ operator, params }) =>
      wireAccount(await operations.resumeAccount(operator, params.accountId)),
  );

  api.post(
    "/v1/accounts/:accountId/keys",
    {
      config: { access: "operator" },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "createAccountKey",
        tags,
        summary: "Create an API key for an account",
        description:
          "For an account that has lost its own. The answer is the only one that shows the key: keep it.",
        params: AccountPath,
        querystring: NoQuery,
        body: named(CreateKey),
        response: { 200: named(AccessKeyWithKey), ...bodyErrorAnswers(404) },
      },
    },
    async ({ operator, params, body }, reply) => {
      void reply.header("cache-control", "no-store");
      const created = await operations.createAccountKey(operator, params.accountId, body);
      return { ...wireKey(created), key: created.key };
    },
  );
}
