import {
  Account,
  AccountListQuery,
  AccountPage,
  AccountPath,
  AccountWithKey,
  AccountWithUsage,
  CreateAccount,
  named,
  NoBody,
  NoQuery,
  OwnAccount,
  UpdateAccount,
} from "@postdate/contract";
import { wireAccount, wireAccountWithUsage, wireOwnAccount } from "../wire/wire-access.ts";
import { wirePage } from "../wire/wire-messages.ts";
import { accountActionRoutes } from "./account-actions.ts";
import { bodyErrorAnswers, errorAnswers } from "./error-schemas.ts";
import { inPages, soundQuery } from "./page-query.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Accounts"];

export function accountRoutes(api: Api, options: RouteOptions): void {
  const { operations, bodyLimits } = options;

  api.get(
    "/v1/account",
    {
      config: { access: "readAll" },
      schema: {
        operationId: "getOwnAccount",
        tags,
        summary: "Get the account of the credential",
        querystring: NoQuery,
        response: { 200: named(OwnAccount), ...errorAnswers() },
      },
    },
    async ({ caller }) => wireOwnAccount(await operations.getOwnAccount(caller)),
  );

  api.post(
    "/v1/accounts",
    {
      config: { access: "operator", bodyMayBeMissing: true },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "createAccount",
        tags,
        summary: "Create an account",
        description:
          "Only this answer shows the first API key of the account: keep it. An id that an account has or ever had cannot be used again.",
        querystring: NoQuery,
        body: named(CreateAccount),
        response: { 200: named(AccountWithKey), ...bodyErrorAnswers(409) },
      },
    },
    async ({ operator, body }, reply) => {
      void reply.header("cache-control", "no-store");
      const created = await operations.createAccount(operator, body);
      return { ...wireAccount(created), key: created.key };
    },
  );

  api.get(
    "/v1/accounts",
    {
      ...inPages,
      config: { access: "operator" },
      schema: {
        operationId: "listAccounts",
        tags,
        summary: "List the accounts",
        description: "Ordered by `accountId`.",
        querystring: AccountListQuery,
        response: { 200: named(AccountPage), ...errorAnswers() },
      },
    },
    async (request) => {
      const query = soundQuery(request, request.query);
      return wirePage(await operations.listAccounts(request.operator, query), wireAccount);
    },
  );

  api.get(
    "/v1/accounts/:accountId",
    {
      config: { access: "operator" },
      schema: {
        operationId: "getAccount",
        tags,
        summary: "Get an account",
        description: "The answer includes what the account has used this month.",
        params: AccountPath,
        querystring: NoQuery,
        response: { 200: named(AccountWithUsage), ...errorAnswers(404) },
      },
    },
    async ({ operator, params }) =>
      wireAccountWithUsage(await operations.getAccount(operator, params.accountId)),
  );

  api.patch(
    "/v1/accounts/:accountId",
    {
      bodyLimit: bodyLimits.small,
      config: {
        access: "operator",
        refusedFields: {
          accountId: "accountId cannot be changed. Create another account instead.",
          state: "state cannot be changed here. Use POST /v1/accounts/{accountId}/suspend.",
        },
      },
      schema: {
        operationId: "updateAccount",
        tags,
        summary: "Change an account",
        description:
          "Fields that are left out stay as they are, and null removes a limit. A monthly limit takes effect with the answer, for this month too.",
        params: AccountPath,
        querystring: NoQuery,
        body: named(UpdateAccount),
        response: { 200: named(Account), ...bodyErrorAnswers(404) },
      },
    },
    async ({ operator, params, body }) =>
      wireAccount(await operations.updateAccount(operator, params.accountId, body)),
  );

  api.delete(
    "/v1/accounts/:accountId",
    {
      config: { access: "operator", bodyMayBeMissing: true },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "removeAccount",
        tags,
        summary: "Remove an account",
        description:
          "The account must be suspended first, and cannot be restored. Its credentials and targets are gone with the answer, its messages soon after. Entries of the audit log stay. The answer is the account as it was.",
        params: AccountPath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(Account), ...bodyErrorAnswers(404, 409) },
      },
    },
    async ({ operator, params }) =>
      wireAccount(await operations.removeAccount(operator, params.accountId)),
  );

  accountActionRoutes(api, options);
}
