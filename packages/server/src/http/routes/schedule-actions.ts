import {
  named,
  NoBody,
  NoQuery,
  PauseSchedule,
  RunListQuery,
  Schedule,
  SchedulePath,
  ScheduleRun,
  ScheduleRunPage,
  SkipRun,
} from "@postdate/contract";
import { codes } from "../../domain/refusals.ts";
import { tellingMonthlyLimit } from "../admission/telling-monthly-limit.ts";
import { soundBody } from "../errors/request-problems.ts";
import { wirePage } from "../wire/wire-messages.ts";
import { wireRun, wireSchedule } from "../wire/wire-schedules.ts";
import { bodyErrorAnswers, errorAnswers } from "./error-schemas.ts";
import { inPages, soundQuery } from "./page-query.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Schedules"];

export function scheduleActionRoutes(api: Api, options: RouteOptions): void {
  const { operations, bodyLimits } = options;

  api.post(
    "/v1/schedules/:scheduleId/pause",
    {
      attachValidation: true,
      bodyLimit: bodyLimits.small,
      config: { access: "writeAll", bodyMayBeMissing: true },
      schema: {
        operationId: "pauseSchedule",
        tags,
        summary: "Pause a schedule",
        description:
          "Until `until`, or until it is resumed, no run is made by time, and nothing that passes meanwhile is made up for. Messages that it has made and that are not due yet are cancelled in the same step. A schedule that is paused already gets the new note and end.",
        params: SchedulePath,
        querystring: NoQuery,
        body: named(PauseSchedule),
        response: { 200: named(Schedule), ...bodyErrorAnswers(404) },
      },
    },
    async (request) => {
      const { caller, params } = request;
      const { fields, problems } = soundBody(request, request.body);
      return wireSchedule(
        await operations.pauseSchedule(caller, params.scheduleId, fields, problems),
      );
    },
  );

  api.post(
    "/v1/schedules/:scheduleId/resume",
    {
      bodyLimit: bodyLimits.small,
      config: { access: "writeAll", bodyMayBeMissing: true },
      schema: {
        operationId: "resumeSchedule",
        tags,
        summary: "Resume a schedule",
        description:
          "Runs are made again, from now on. A schedule that is not paused stays as it is.",
        params: SchedulePath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(Schedule), ...bodyErrorAnswers(404) },
      },
    },
    async ({ caller, params }) =>
      wireSchedule(await operations.resumeSchedule(caller, params.scheduleId)),
  );

  api.post(
    "/v1/schedules/:scheduleId/trigger",
    {
      bodyLimit: bodyLimits.small,
      config: { access: "writeAll", bodyMayBeMissing: true },
      schema: {
        operationId: "triggerSchedule",
        tags,
        summary: "Trigger a schedule",
        description:
          "Makes one run now, beside those by time, also if the schedule is paused or has ended. `overlap` and `maxRuns` do not count it.",
        params: SchedulePath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 201: named(ScheduleRun), ...bodyErrorAnswers(404) },
      },
    },
    async ({ caller, params }, reply) => {
      const { scheduleId } = params;
      const run = await tellingMonthlyLimit(operations, caller, reply, () =>
        operations.triggerSchedule(caller, scheduleId),
      );
      void reply.code(201);
      return wireRun(scheduleId, run);
    },
  );

  for (const change of changesOfRuns) addChange(api, options, change);

  api.get(
    "/v1/schedules/:scheduleId/runs",
    {
      ...inPages,
      config: { access: "readAll" },
      schema: {
        operationId: "listRuns",
        tags,
        summary: "List the runs of a schedule",
        description:
          "What became of its run times, the newest first. Runs are kept as long as messages that have ended. Of those without a message the latest 1,000 are kept, and at most 200 more.",
        params: SchedulePath,
        querystring: RunListQuery,
        response: { 200: named(ScheduleRunPage), ...errorAnswers(404) },
      },
    },
    async (request) => {
      const { caller, params } = request;
      const query = soundQuery(request, request.query);
      const page = await operations.listRuns(caller, params.scheduleId, query);
      return wirePage(page, (run) => wireRun(params.scheduleId, run));
    },
  );
}

interface ChangeOfRun {
  readonly operation: "skipRun" | "unskipRun";
  readonly resource: string;
  readonly summary: string;
  readonly description: string;
}

const changesOfRuns: readonly ChangeOfRun[] = [
  {
    operation: "skipRun",
    resource: "skip",
    summary: "Skip a run",
    description: `Calls off the run at this time. If its message is made already and not due yet, it is cancelled in the same step. If the schedule has no run to come at this time, the answer is ${codes.noOpenOccurrence}.`,
  },
  {
    operation: "unskipRun",
    resource: "unskip",
    summary: "Take back the skip of a run",
    description: `The run at this time is made after all. If it is not skipped, or over, the answer is ${codes.noOpenOccurrence}.`,
  },
];

function addChange(api: Api, { operations, bodyLimits }: RouteOptions, change: ChangeOfRun): void {
  const { operation, resource, summary, description } = change;
  api.post(
    `/v1/schedules/:scheduleId/${resource}`,
    {
      bodyLimit: bodyLimits.small,
      config: { access: "writeAll" },
      schema: {
        operationId: operation,
        tags,
        summary,
        description,
        params: SchedulePath,
        querystring: NoQuery,
        body: named(SkipRun),
        response: { 200: named(Schedule), ...bodyErrorAnswers(404, 409) },
      },
    },
    async ({ caller, params, body }) =>
      wireSchedule(await operations[operation](caller, params.scheduleId, body.time)),
  );
}
