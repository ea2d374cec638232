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
          "Until the account is resumed, its credentials are refused, no attempt starts for it and its jobs change nothing. Nothing is lost. Suspending it again changes nothing.",
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
          "Messages that became due meanwhile are delivered. Resuming an active account changes nothing.",
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
          "For an account that has lost its keys. Only this answer shows the key: keep it.",
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
