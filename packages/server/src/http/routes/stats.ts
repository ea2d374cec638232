import {
  Activity,
  ActivityQuery,
  DeadLetterGroupList,
  DeadLetterGroupQuery,
  Forecast,
  ForecastQuery,
  named,
  NoQuery,
  Stats,
  TargetStatsPage,
  TargetStatsQuery,
} from "@postdate/contract";
import { wirePage } from "../wire/wire-messages.ts";
import {
  wireActivity,
  wireForecast,
  wireGroups,
  wireStats,
  wireTargetStats,
} from "../wire/wire-stats.ts";
import { errorAnswers } from "./error-schemas.ts";
import { inPages, soundQuery } from "./page-query.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Statistics"];

export function statsRoutes(api: Api, { operations }: RouteOptions): void {
  api.get(
    "/v1/stats",
    {
      config: { access: "readMessages" },
      schema: {
        operationId: "getStats",
        tags,
        summary: "Count what is pending and due",
        description:
          "Counts when asked, and remembers an account's counts for two seconds. A count beyond 100,000 is not exact.",
        querystring: NoQuery,
        response: { 200: named(Stats), ...errorAnswers() },
      },
    },
    async ({ caller }) => wireStats(await operations.getStats(caller)),
  );

  api.get(
    "/v1/stats/activity",
    {
      attachValidation: true,
      config: { access: "readMessages" },
      schema: {
        operationId: "getActivity",
        tags,
        summary: "See how attempts went",
        description:
          "Attempts by outcome, duration and lateness, for all targets together or for one. An answer has at most 1,500 buckets.",
        querystring: ActivityQuery,
        response: { 200: named(Activity), ...errorAnswers(404) },
      },
    },
    async (request) => {
      const query = soundQuery(request, request.query);
      return wireActivity(await operations.getActivity(request.caller, query));
    },
  );

  api.get(
    "/v1/forecast",
    {
      attachValidation: true,
      config: { access: "readMessages" },
      schema: {
        operationId: "getForecast",
        tags,
        summary: "See how many messages become due when",
        description:
          "Counts the messages that are scheduled, and the runs of recurring schedules that have no message yet, when asked. If that takes longer than half a second, the answer has what is known so far and `counting` is true: ask again. An answer has at most 1,500 buckets.",
        querystring: ForecastQuery,
        response: { 200: named(Forecast), ...errorAnswers(404) },
      },
    },
    async (request) => {
      const query = soundQuery(request, request.query);
      return wireForecast(await operations.getForecast(request.caller, query));
    },
  );

  api.get(
    "/v1/dead-letters/groups",
    {
      attachValidation: true,
      config: { access: "readMessages" },
      schema: {
        operationId: "listDeadLetterGroups",
        tags,
        summary: "Group the dead letters",
        description:
          "By target, reason and the status of the last answer, the largest group first. An unknown target has none.",
        querystring: DeadLetterGroupQuery,
        response: { 200: named(DeadLetterGroupList), ...errorAnswers() },
      },
    },
    async (request) => {
      const query = soundQuery(request, request.query);
      return wireGroups(await operations.listDeadLetterGroups(request.caller, query));
    },
  );

  api.get(
    "/v1/stats/targets",
    {
      ...inPages,
      config: { access: "readAll" },
      schema: {
        operationId: "listTargetStats",
        tags,
        summary: "See how the targets do",
        description:
          "What is in flight, waits, is dead and has failed lately, target by target, ordered by `targetId`.",
        querystring: TargetStatsQuery,
        response: { 200: named(TargetStatsPage), ...errorAnswers(404) },
      },
    },
    async (request) => {
      const query = soundQuery(request, request.query);
      return wirePage(await operations.listTargetStats(request.caller, query), wireTargetStats);
    },
  );
}
