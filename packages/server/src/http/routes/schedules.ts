import { named, NoQuery, OccurrenceList, PreviewSchedule } from "@postdate/contract";
import { codes } from "../../domain/refusals.ts";
import { soundBody } from "../errors/request-problems.ts";
import { bodyErrorAnswers } from "./error-schemas.ts";
import type { Api, RouteOptions } from "./route-options.ts";

export function scheduleRoutes(api: Api, { operations }: RouteOptions): void {
  api.post(
    "/v1/schedules/preview",
    {
      attachValidation: true,
      config: { access: "readAll" },
      schema: {
        operationId: "previewSchedule",
        tags: ["Schedules"],
        summary: "Preview a schedule",
        description: `Answers when a schedule would be due, and stores nothing. Times of day that are named one by one come once a day: at the end of the gap if clocks skip them, and the first time if clocks show them twice. Any other expression follows the clocks. Without an occurrence in fifty years the answer is ${codes.noOccurrence}.`,
        querystring: NoQuery,
        body: named(PreviewSchedule),
        response: { 200: named(OccurrenceList), ...bodyErrorAnswers() },
      },
    },
    async (request) => {
      const { fields, problems } = soundBody(request, request.body);
      return { occurrences: operations.previewSchedule(fields, problems) };
    },
  );
}
