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
        description: "Messages are kept and no attempt starts. Attempts under way are finished.",
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
        description:
          "Messages that became due meanwhile are delivered, within the limits of the target.",
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
          "Sends a message at once, outside the schedule and also while the target is paused, and answers with the attempt. Nothing is kept. A test counts as a message against the monthly limit, and as a delivery against the target's `maxConcurrency` and `rateLimit`. An account may run only a few tests at once. If one of these limits is reached, the answer is 429 with `Retry-After`. If the caller hangs up, its test ends.",
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
          "Attempts are signed with the new secret and, until the overlap ends, also with the old one. At most two secrets sign at once: another rotation during the overlap ends the older of the two at once. If you give the current secret again, nothing changes, except that a longer `overlapMs` extends an overlap that is under way. So you can safely repeat a call with your own `secret`. Without `secret`, each call makes another one. Only this answer shows the new secret.",
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
