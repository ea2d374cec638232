import {
  AccountPath,
  AuditListQuery,
  AuditPage,
  named,
  OperatorAuditPage,
} from "@postdate/contract";
import { wireAuditEntry, wireOperatorAuditEntry } from "../wire/wire-access.ts";
import { wirePage } from "../wire/wire-messages.ts";
import { errorAnswers, operatorSecurity, securityOf } from "./error-schemas.ts";
import { readLimit, soundQuery } from "./lists.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Audit log"];
const order =
  "The youngest entry first; `minTime` and `maxTime` compare with `time`, both inclusive.";

export function auditRoutes(api: Api, { operations, guards }: RouteOptions): void {
  api.get(
    "/v1/audit-log",
    {
      onRequest: guards.readAll,
      preValidation: readLimit,
      attachValidation: true,
      schema: {
        operationId: "listAuditEntries",
        tags,
        summary: "List what was done to the account",
        description: `Who did what to its targets, keys and clients, and to the account itself. ${order}`,
        security: securityOf("readAll"),
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
      onRequest: guards.operator,
      preValidation: readLimit,
      attachValidation: true,
      schema: {
        operationId: "listAccountAuditEntries",
        tags,
        summary: "List what was done to an account",
        description: `Also to one that was removed; to an unknown one nothing was. ${order}`,
        security: operatorSecurity,
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
      onRequest: guards.operator,
      preValidation: readLimit,
      attachValidation: true,
      schema: {
        operationId: "listAllAuditEntries",
        tags,
        summary: "List what was done to all accounts",
        description: `And to what belongs to the service itself. ${order}`,
        security: operatorSecurity,
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
