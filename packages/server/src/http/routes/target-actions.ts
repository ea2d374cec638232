import {
  named,
  NoBody,
  NoQuery,
  RotateSecret,
  Target,
  TargetPath,
  TargetWithSecret,
  TestResult,
  TestTarget,
} from "@postdate/contract";
import { hangUpOf } from "../wire/hang-up.ts";
import { soundBody } from "../errors/request-problems.ts";
import { tellingMonthlyLimit } from "../admission/telling-monthly-limit.ts";
import { wireAttempt } from "../wire/wire-messages.ts";
import { wireTarget, wireTargetWithSecret } from "../wire/wire-targets.ts";
import { bodyErrorAnswers } from "./error-schemas.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Targets"];

export function targetActionRoutes(api: Api, { operations }: RouteOptions): void {
  api.post(
    "/v1/targets/:targetId/pause",
    {
      config: { access: "writeAll", bodyMayBeMissing: true },
      schema: {
        operationId: "pauseTarget",
        tags,
        summary: "Pause a target",
        description: "Messages are kept, no attempt starts. Attempts under way come to their end.",
        params: TargetPath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(Target), ...bodyErrorAnswers(404) },
      },
    },
    async ({ caller, params }) => wireTarget(await operations.pauseTarget(caller, params.targetId)),
  );

  api.post(
    "/v1/targets/:targetId/resume",
    {
      config: { access: "writeAll", bodyMayBeMissing: true },
      schema: {
        operationId: "resumeTarget",
        tags,
        summary: "Resume a target",
        description: "What became due meanwhile is delivered at the target's own limits.",
        params: TargetPath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(Target), ...bodyErrorAnswers(404) },
      },
    },
    async ({ caller, params }) =>
      wireTarget(await operations.resumeTarget(caller, params.targetId)),
  );

  api.post(
    "/v1/targets/:targetId/test",
    {
      config: { access: "writeAll", bodyMayBeMissing: true },
      schema: {
        operationId: "testTarget",
        tags,
        summary: "Send a test message",
        description:
          "Sends at once, outside the schedule and also while paused, and answers with the attempt. Nothing is kept. A test counts as a message against the monthly limit, and as a delivery against the target's `maxConcurrency` and `rateLimit`; where one of these, or the few tests that an account may run at once, leaves no room, the answer is 429 with `Retry-After`. A caller that hangs up ends its test.",
        params: TargetPath,
        querystring: NoQuery,
        body: named(TestTarget),
        response: { 200: named(TestResult), ...bodyErrorAnswers(404) },
      },
    },
    async ({ caller, params, body }, reply) => {
      const request = {
        targetId: params.targetId,
        payload: body.payload,
        callerGone: hangUpOf(reply),
      };
      const tested = await tellingMonthlyLimit(operations, caller, reply, () =>
        operations.testTarget(caller, request),
      );
      return { ...tested, attempt: wireAttempt(tested.attempt) };
    },
  );

  api.post(
    "/v1/targets/:targetId/rotate-secret",
    {
      config: { access: "writeAll", bodyMayBeMissing: true },
      attachValidation: true,
      schema: {
        operationId: "rotateSecret",
        tags,
        summary: "Rotate the signing secret",
        description:
          "Attempts are signed with the new secret, and with the old one as well until the overlap ends. Only the secret before the last rotation signs along: another rotation within the overlap ends it for the one before last. The current secret given again changes nothing, except that a longer `overlapMs` lengthens an overlap that is under way; so the call can be repeated safely with a `secret` of your own. Without one, each call makes another secret. The answer is the only one that shows the new secret.",
        params: TargetPath,
        querystring: NoQuery,
        body: named(RotateSecret),
        response: { 200: named(TargetWithSecret), ...bodyErrorAnswers(404) },
      },
    },
    async (request, reply) => {
      const { caller, params } = request;
      const { fields, problems } = soundBody(request, request.body);
      void reply.header("cache-control", "no-store");
      return wireTargetWithSecret(
        await operations.rotateSecret(caller, params.targetId, fields, problems),
      );
    },
  );
}
