import {
  CreateTarget,
  named,
  NoBody,
  NoQuery,
  Target,
  TargetListQuery,
  TargetPage,
  TargetPath,
  TargetWithSecret,
  UpdateTarget,
} from "@postdate/contract";
import { bodyMayBeMissing } from "../body/json-body.ts";
import { soundBody } from "../errors/request-problems.ts";
import { wirePage } from "../wire/wire-messages.ts";
import { wireTarget, wireTargetWithSecret } from "../wire/wire-targets.ts";
import { bodyErrorAnswers, errorAnswers, securityOf } from "./error-schemas.ts";
import { readLimit, soundQuery } from "./lists.ts";
import type { Api, RouteOptions } from "./route-options.ts";
import { targetActionRoutes } from "./target-actions.ts";

const tags = ["Targets"];

export function targetRoutes(api: Api, options: RouteOptions): void {
  const { operations, guards } = options;

  api.post(
    "/v1/targets",
    {
      onRequest: guards.writeAll,
      attachValidation: true,
      schema: {
        operationId: "createTarget",
        tags,
        summary: "Create a target",
        description: "The answer is the only one that shows the signing secret: keep it.",
        security: securityOf("writeAll"),
        querystring: NoQuery,
        body: named(CreateTarget),
        response: { 200: named(TargetWithSecret), ...bodyErrorAnswers(409) },
      },
    },
    async (request, reply) => {
      const { fields, problems } = soundBody(request, request.body);
      void reply.header("cache-control", "no-store");
      return wireTargetWithSecret(await operations.createTarget(request.caller, fields, problems));
    },
  );

  api.get(
    "/v1/targets",
    {
      onRequest: guards.readAll,
      preValidation: readLimit,
      attachValidation: true,
      schema: {
        operationId: "listTargets",
        tags,
        summary: "List the targets",
        description: "By `targetId`.",
        security: securityOf("readAll"),
        querystring: TargetListQuery,
        response: { 200: named(TargetPage), ...errorAnswers() },
      },
    },
    async (request) => {
      const query = soundQuery(request, request.query);
      return wirePage(await operations.listTargets(request.caller, query), wireTarget);
    },
  );

  api.get(
    "/v1/targets/:targetId",
    {
      onRequest: guards.readAll,
      schema: {
        operationId: "getTarget",
        tags,
        summary: "Get a target",
        security: securityOf("readAll"),
        params: TargetPath,
        querystring: NoQuery,
        response: { 200: named(Target), ...errorAnswers(404) },
      },
    },
    async ({ caller, params }) => wireTarget(await operations.getTarget(caller, params.targetId)),
  );

  api.patch(
    "/v1/targets/:targetId",
    {
      onRequest: guards.writeAll,
      attachValidation: true,
      config: {
        refusedFields: {
          targetId: "targetId cannot be changed. Create another target instead.",
          kind: "kind cannot be changed. Create another target instead.",
          secret: "secret cannot be changed here. Use POST /v1/targets/{targetId}/rotate-secret.",
        },
      },
      schema: {
        operationId: "updateTarget",
        tags,
        summary: "Change a target",
        description:
          "Parts that are given replace the old ones, null brings a default back, parts left out stay. The change holds for every attempt that starts after the answer.",
        security: securityOf("writeAll"),
        params: TargetPath,
        querystring: NoQuery,
        body: named(UpdateTarget),
        response: { 200: named(Target), ...bodyErrorAnswers(404) },
      },
    },
    async (request) => {
      const { caller, params } = request;
      const { fields, problems } = soundBody(request, request.body);
      return wireTarget(await operations.updateTarget(caller, params.targetId, fields, problems));
    },
  );

  api.delete(
    "/v1/targets/:targetId",
    {
      onRequest: guards.writeAll,
      preValidation: bodyMayBeMissing,
      config: { bodyMayBeMissing: true },
      schema: {
        operationId: "removeTarget",
        tags,
        summary: "Remove a target",
        description:
          "Possible once none of its messages is scheduled. Answers with the target as it was.",
        security: securityOf("writeAll"),
        params: TargetPath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(Target), ...bodyErrorAnswers(404, 409) },
      },
    },
    async ({ caller, params }) =>
      wireTarget(await operations.removeTarget(caller, params.targetId)),
  );

  targetActionRoutes(api, options);
}
