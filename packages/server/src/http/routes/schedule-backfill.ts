import {
  BackfillPreview,
  BackfillSchedule,
  IdempotencyHeaders,
  Job,
  named,
  NoQuery,
  SchedulePath,
} from "@postdate/contract";
import { soundBody } from "../errors/request-problems.ts";
import { hangUpOf } from "../wire/hang-up.ts";
import { wireBackfillPreview, wireJob } from "../wire/wire-jobs.ts";
import { bodyErrorAnswers } from "./error-schemas.ts";
import { readIdempotencyKey } from "./read-draft.ts";
import type { Api, RouteOptions } from "./route-options.ts";

export function scheduleBackfillRoute(api: Api, { operations, bodyLimits }: RouteOptions): void {
  api.post(
    "/v1/schedules/:scheduleId/backfill",
    {
      attachValidation: true,
      bodyLimit: bodyLimits.small,
      config: { access: "writeAll", documentedHeaders: IdempotencyHeaders },
      schema: {
        operationId: "backfillSchedule",
        tags: ["Schedules"],
        summary: "Make runs of times that are past",
        description:
          "Creates a job with the action `backfill`: each run time between `from` and `to` that has had no run gets one, as the schedule is defined then. Its message is due when it is made, and `notAfterMs` counts from there. What was skipped or missed is made, too; `overlap` and `maxRuns` do not count. With `dryRun` nothing changes: the answer is 200 with what the job would make.",
        params: SchedulePath,
        querystring: NoQuery,
        body: named(BackfillSchedule),
        response: {
          200: named(BackfillPreview),
          202: named(Job),
          ...bodyErrorAnswers(404, 409, 422),
        },
      },
    },
    async (request, reply) => {
      const { caller, headers, params } = request;
      const { fields, problems } = soundBody(request, request.body);
      const wanted = { scheduleId: params.scheduleId, given: fields, problems };
      if (fields.dryRun === true) {
        const preview = await operations.previewBackfill(caller, wanted, hangUpOf(reply));
        return wireBackfillPreview(preview);
      }
      const key = readIdempotencyKey(headers);
      const { job, repeated } = await operations.backfillSchedule(caller, wanted, key);
      if (repeated) void reply.header("idempotency-replayed", "true");
      void reply.code(202);
      return wireJob(job);
    },
  );
}
