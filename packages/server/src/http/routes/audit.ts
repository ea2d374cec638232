import {
  AccountPath,
  AuditListQuery,
  AuditPage,
  named,
  OperatorAuditPage,
} from "@postdate/contract";
import { wireAuditEntry, wireOperatorAuditEntry } from "../wire/wire-access.ts";
import { wirePage } from "../wire/wire-messages.ts";
import { errorAnswers } from "./error-schemas.ts";
import { inPages, soundQuery } from "./page-query.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Audit log"];
const order =
  "The newest entry comes first. `minTime` and `maxTime` apply to `time`, both inclusive.";

export function auditRoutes(api: Api, { operations }: RouteOptions): void {
  api.get(
    "/v1/audit-log",
    {
      ...inPages,
      config: { access: "readAll" },
      schema: {
        operationId: "listAuditEntries",
        tags,
        summary: "List what was done to the account",
        description: `Who did what to its targets, keys, clients and jobs, and to the account itself. ${order}`,
        querystring: AuditListQuery,
        response: { 200: named(AuditPage), ...errorAnswers() },
      },
    },
    async (request) => {
      const query = soundQuery(request, request.query);
      return wirePage(await operations.listAuditEntries(request.caller, query), wireAuditEntry);
    },
  );

  api.get(
    "/v1/accounts/:accountId/audit-log",
    {
      ...inPages,
      config: { access: "operator" },
      schema: {
        operationId: "listAccountAuditEntries",
        tags,
        summary: "List what was done to an account",
        description: `Also for an account that was removed. The list of an unknown account is empty. ${order}`,
        params: AccountPath,
        querystring: AuditListQuery,
        response: { 200: named(OperatorAuditPage), ...errorAnswers() },
      },
    },
    async (request) => {
      const { operator, params } = request;
      const query = soundQuery(request, request.query);
      const page = await operations.listAccountAuditEntries(operator, params.accountId, query);
      return wirePage(page, wireOperatorAuditEntry);
    },
  );

  api.get(
    "/v1/operator/audit-log",
    {
      ...inPages,
      config: { access: "operator" },
      schema: {
        operationId: "listAllAuditEntries",
        tags,
        summary: "List what was done to all accounts",
        description: `Also what was done to the service itself. ${order}`,
        querystring: AuditListQuery,
        response: { 200: named(OperatorAuditPage), ...errorAnswers() },
      },
    },
    async (request) => {
      const query = soundQuery(request, request.query);
      const page = await operations.listAllAuditEntries(request.operator, query);
      return wirePage(page, wireOperatorAuditEntry);
    },
  );
}
