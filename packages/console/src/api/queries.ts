import type { Page, TargetStats } from "@postdate/client";
import { queryOptions } from "@tanstack/react-query";
import { postdate } from "./postdate.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** How often a page looks again. The server remembers its counts for 2 s. */
const often = { refetchInterval: 5_000 };
const sometimes = { refetchInterval: 15_000 };

export const statsQuery = () =>
  queryOptions({
    queryKey: ["stats"],
    queryFn: ({ signal }) => postdate.stats.counts({ signal }),
    ...often,
  });

/** The attempts of the last hour, by minute. */
export const activityQuery = (targetId?: string) =>
  queryOptions({
    queryKey: ["activity", targetId],
    queryFn: ({ signal }) => {
      const target = targetId === undefined ? {} : { targetId };
      const minTime = new Date(Date.now() - hourMs + minuteMs);
      return postdate.stats.activity({ ...target, minTime, bucket: "minute" }, { signal });
    },
    ...sometimes,
  });

/** What becomes due in the next hour, by minute. */
export const nextHourQuery = (targetId?: string) =>
  queryOptions({
    queryKey: ["next hour", targetId],
    queryFn: ({ signal }) => {
      const target = targetId === undefined ? {} : { targetId };
      const maxTime = new Date(Date.now() + hourMs - minuteMs);
      return postdate.stats.forecast({ ...target, maxTime, bucket: "minute" }, { signal });
    },
    ...sometimes,
  });

/** What becomes due in the next days, by hour. While it is counted, the page looks again soon. */
export const forecastQuery = (days: number, targetId?: string) =>
  queryOptions({
    queryKey: ["forecast", targetId, days],
    queryFn: ({ signal }) => {
      const target = targetId === undefined ? {} : { targetId };
      const maxTime = new Date(Date.now() + days * 24 * hourMs - hourMs);
      return postdate.stats.forecast({ ...target, maxTime, bucket: "hour" }, { signal });
    },
    refetchInterval: ({ state }) => (state.data?.counting === true ? 1_500 : 30_000),
  });

export const deadLetterGroupsQuery = (targetId?: string) =>
  queryOptions({
    queryKey: ["dead letter groups", targetId],
    queryFn: ({ signal }) =>
      postdate.stats.deadLetterGroups(targetId === undefined ? {} : { targetId }, { signal }),
    ...sometimes,
  });

export const usageQuery = () =>
  queryOptions({
    queryKey: ["usage"],
    queryFn: ({ signal }) => postdate.usage({ signal }),
    ...sometimes,
  });

export const nodesQuery = () =>
  queryOptions({
    queryKey: ["nodes"],
    queryFn: ({ signal }) => postdate.nodes({ signal }),
    ...sometimes,
  });

/** The first hundred targets. */
export const targetPageQuery = () =>
  queryOptions({
    queryKey: ["targets"],
    queryFn: ({ signal }) => postdate.targets.list({ limit: 100 }, { signal }).page(),
    ...sometimes,
  });

/** So many pages of a hundred targets are read at most: each is a request. */
const mostPages = 10;

/** How targets do, by id. With more than a thousand of them, the first thousand. */
export const targetStatsQuery = () =>
  queryOptions({
    queryKey: ["target stats"],
    queryFn: async ({ signal }) => {
      const found = new Map<string, TargetStats>();
      let pageToken: string | null = null;
      for (let pages = 0; pages < mostPages; pages++) {
        const query = { limit: 100, ...(pageToken !== null && { pageToken }) };
        const page: Page<TargetStats> = await postdate.stats.targets(query, { signal }).page();
        for (const stats of page.items) found.set(stats.targetId, stats);
        pageToken = page.nextPageToken;
        if (pageToken === null) break;
      }
      return { found, isWhole: pageToken === null };
    },
    ...sometimes,
  });

/** How one target does; null: there is no such target. */
export const oneTargetStatsQuery = (targetId: string) =>
  queryOptions({
    queryKey: ["target stats", targetId],
    queryFn: async ({ signal }) => {
      const { items } = await postdate.stats.targets({ targetId }, { signal }).page();
      return items[0] ?? null;
    },
    ...often,
  });

export const targetQuery = (targetId: string) =>
  queryOptions({
    queryKey: ["target", targetId],
    queryFn: ({ signal }) => postdate.targets.get(targetId, { signal }),
    ...sometimes,
  });

export const messageQuery = (messageId: string) =>
  queryOptions({
    queryKey: ["message", messageId],
    queryFn: ({ signal }) => postdate.messages.get(messageId, { signal }),
    ...often,
  });

export const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: ["job", jobId],
    queryFn: ({ signal }) => postdate.jobs.get(jobId, { signal }),
    refetchInterval: ({ state }) => (state.data?.endTime == null ? 1_000 : false),
  });

export const scheduleQuery = (scheduleId: string) =>
  queryOptions({
    queryKey: ["schedule", scheduleId],
    queryFn: ({ signal }) => postdate.schedules.get(scheduleId, { signal }),
    ...sometimes,
  });

/** All of them: there are ten at most. */
export const eventEndpointsQuery = () =>
  queryOptions({
    queryKey: ["event endpoints"],
    queryFn: ({ signal }) => postdate.events.list({}, { signal }).all(),
    ...sometimes,
  });

export const attemptsQuery = (messageId: string) =>
  queryOptions({
    queryKey: ["attempts", messageId],
    queryFn: ({ signal }) => postdate.messages.attempts(messageId, { signal }),
    ...often,
  });
