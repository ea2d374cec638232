import {
  CreateSchedule,
  named,
  NoBody,
  NoQuery,
  OccurrenceList,
  PreviewSchedule,
  PutSchedule,
  Schedule,
  ScheduleListQuery,
  SchedulePage,
  SchedulePath,
  UpdateSchedule,
} from "@postdate/contract";
import { codes } from "../../domain/refusals.ts";
import { soundBodyWith } from "../errors/sound-part.ts";
import { wirePage } from "../wire/wire-messages.ts";
import { wireListedSchedule, wireSchedule } from "../wire/wire-schedules.ts";
import { bodyErrorAnswers, errorAnswers } from "./error-schemas.ts";
import { inPages, soundQuery } from "./page-query.ts";
import { misplacedFields } from "./misplaced-fields.ts";
import type { Api, RouteOptions } from "./route-options.ts";
import { scheduleActionRoutes } from "./schedule-actions.ts";
import { scheduleBackfillRoute } from "./schedule-backfill.ts";

const tags = ["Schedules"];

export function scheduleRoutes(api: Api, options: RouteOptions): void {
  const { operations } = options;

  api.post(
    "/v1/schedules",
    {
      attachValidation: true,
      config: { access: "writeAll", refusedFields: misplacedFields },
      schema: {
        operationId: "createSchedule",
        tags,
        summary: "Create a schedule",
        description: `Creates a recurring schedule. Each time it is due, it makes a message for its target, up to 5 seconds ahead: exactly one for each run time. Without an occurrence in fifty years the answer is ${codes.noOccurrence}. To be safe to repeat, choose an id and use PUT.`,
        querystring: NoQuery,
        body: named(CreateSchedule),
        response: { 201: named(Schedule), ...bodyErrorAnswers(409) },
      },
    },
    async (request, reply) => {
      const { fields, problems } = soundBodyWith(request, request.body, "message");
      const created = await operations.createSchedule(request.caller, fields, problems);
      void reply.code(201);
      return wireSchedule(created);
    },
  );

  api.get(
    "/v1/schedules",
    {
      ...inPages,
      config: { access: "readAll" },
      schema: {
        operationId: "listSchedules",
        tags,
        summary: "List the schedules",
        description: "Ordered by `scheduleId`.",
        querystring: ScheduleListQuery,
        response: { 200: named(SchedulePage), ...errorAnswers() },
      },
    },
    async (request) => {
      const query = soundQuery(request, request.query);
      return wirePage(await operations.listSchedules(request.caller, query), wireListedSchedule);
    },
  );

  api.get(
    "/v1/schedules/:scheduleId",
    {
      config: { access: "readAll" },
      schema: {
        operationId: "getSchedule",
        tags,
        summary: "Get a schedule",
        params: SchedulePath,
        querystring: NoQuery,
        response: { 200: named(Schedule), ...errorAnswers(404) },
      },
    },
    async ({ caller, params }) =>
      wireSchedule(await operations.getSchedule(caller, params.scheduleId)),
  );

  api.put(
    "/v1/schedules/:scheduleId",
    {
      attachValidation: true,
      config: {
        access: "writeAll",
        refusedFields: {
          ...misplacedFields,
          scheduleId: "Leave out scheduleId: the path names the schedule.",
        },
      },
      schema: {
        operationId: "putSchedule",
        tags,
        summary: "Create or replace a schedule",
        description:
          "Creates the schedule (201), or replaces it as a whole (200): what the body leaves out takes its default. What was made for a time to come is taken back in the same step and made again where the new schedule is due as well; what is due or attempted stays. A paused schedule stays paused. The same again changes nothing.",
        params: SchedulePath,
        querystring: NoQuery,
        body: named(PutSchedule),
        response: { 200: named(Schedule), 201: named(Schedule), ...bodyErrorAnswers(409) },
      },
    },
    async (request, reply) => {
      const { caller, params } = request;
      const { fields, problems } = soundBodyWith(request, request.body, "message");
      const put = await operations.putSchedule(caller, params.scheduleId, fields, problems);
      void reply.code(put.isNew ? 201 : 200);
      return wireSchedule(put.schedule);
    },
  );

  api.patch(
    "/v1/schedules/:scheduleId",
    {
      attachValidation: true,
      config: {
        access: "writeAll",
        refusedFields: {
          ...misplacedFields,
          scheduleId: "scheduleId cannot be changed. Create another schedule instead.",
        },
      },
      schema: {
        operationId: "updateSchedule",
        tags,
        summary: "Change a schedule",
        description:
          "Given fields replace the old values, null restores a default, and fields that are left out stay as they are. What was made for a time to come is taken back in the same step and made again where the changed schedule is due as well; what is due or attempted stays.",
        params: SchedulePath,
        querystring: NoQuery,
        body: named(UpdateSchedule),
        response: { 200: named(Schedule), ...bodyErrorAnswers(404) },
      },
    },
    async (request) => {
      const { caller, params } = request;
      const { fields, problems } = soundBodyWith(request, request.body, "message");
      return wireSchedule(
        await operations.updateSchedule(caller, params.scheduleId, fields, problems),
      );
    },
  );

  api.delete(
    "/v1/schedules/:scheduleId",
    {
      config: { access: "writeAll", bodyMayBeMissing: true },
      schema: {
        operationId: "removeSchedule",
        tags,
        summary: "Remove a schedule",
        description:
          "Removes the schedule and the record of its runs; the answer is the schedule as it was. Messages that it has made and that are not due yet are cancelled in the same step; what is due or attempted is delivered.",
        params: SchedulePath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(Schedule), ...bodyErrorAnswers(404) },
      },
    },
    async ({ caller, params }) =>
      wireSchedule(await operations.removeSchedule(caller, params.scheduleId)),
  );

  api.post(
    "/v1/schedules/preview",
    {
      attachValidation: true,
      config: { access: "readAll", refusedFields: misplacedFields },
      schema: {
        operationId: "previewSchedule",
        tags,
        summary: "Preview a schedule",
        description: `Answers when a schedule would be due, and stores nothing. It takes the fields of a schedule. Times of day that are named one by one come once a day: at the end of the gap if clocks skip them, and the first time if clocks show them twice. Any other expression follows the clocks. Without an occurrence in fifty years the answer is ${codes.noOccurrence}.`,
        querystring: NoQuery,
        body: named(PreviewSchedule),
        response: { 200: named(OccurrenceList), ...bodyErrorAnswers() },
      },
    },
    async (request) => {
      const { fields, problems } = soundBodyWith(request, request.body, "message");
      return { occurrences: await operations.previewSchedule(request.caller, fields, problems) };
    },
  );

  scheduleActionRoutes(api, options);
  scheduleBackfillRoute(api, options);
}
