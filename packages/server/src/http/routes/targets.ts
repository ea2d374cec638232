import {
  CreateTarget,
  Job,
  named,
  NoBody,
  NoQuery,
  RemoveTargetQuery,
  Target,
  TargetListQuery,
  TargetPage,
  TargetPath,
  TargetWithSecret,
  UpdateTarget,
} from "@postdate/contract";
import { soundBody } from "../errors/request-problems.ts";
import { wireJob } from "../wire/wire-jobs.ts";
import { wirePage } from "../wire/wire-messages.ts";
import { wireTarget, wireTargetWithSecret } from "../wire/wire-targets.ts";
import { bodyErrorAnswers, errorAnswers } from "./error-schemas.ts";
import { inPages, soundQuery } from "./page-query.ts";
import type { Api, RouteOptions } from "./route-options.ts";
import { targetActionRoutes } from "./target-actions.ts";

const tags = ["Targets"];

export function targetRoutes(api: Api, options: RouteOptions): void {
  const { operations } = options;

  api.post(
    "/v1/targets",
    {
      config: { access: "writeAll" },
      attachValidation: true,
      schema: {
        operationId: "createTarget",
        tags,
        summary: "Create a target",
        description: "Only this answer shows the signing secret: keep it.",
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
      ...inPages,
      config: { access: "readAll" },
      schema: {
        operationId: "listTargets",
        tags,
        summary: "List the targets",
        description: "Ordered by `targetId`.",
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
      config: { access: "readAll" },
      schema: {
        operationId: "getTarget",
        tags,
        summary: "Get a target",
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
      attachValidation: true,
      config: {
        access: "writeAll",
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
          "Given fields replace the old values, null restores a default, and fields that are left out stay as they are. The change applies to every attempt that starts after the answer.",
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
      config: { access: "writeAll", bodyMayBeMissing: true },
      schema: {
        operationId: "removeTarget",
        tags,
        summary: "Remove a target",
        description:
          "The target must have no recurring schedules and no scheduled messages: the answer is 200 with the target as it was. With `messages=cancel`, a job cancels its scheduled messages first and then removes it: the answer is 202 with the job. If messages were scheduled for it meanwhile, the job fails and the target stays.",
        params: TargetPath,
        querystring: RemoveTargetQuery,
        body: named(NoBody),
        response: { 200: named(Target), 202: named(Job), ...bodyErrorAnswers(404, 409) },
      },
    },
    async ({ caller, params, query }, reply) => {
      const { targetId } = params;
      if (query.messages === undefined) {
        return wireTarget(await operations.removeTarget(caller, targetId));
      }
      const job = await operations.removeTargetWithMessages(caller, targetId);
      return reply.code(202).send(wireJob(job));
    },
  );

  targetActionRoutes(api, options);
}
