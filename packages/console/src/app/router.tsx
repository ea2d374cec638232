import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  retainSearchParams,
} from "@tanstack/react-router";
import { consolePath } from "../place.ts";
import { Page } from "../presentation/page.tsx";
import { ProblemNote } from "../presentation/problem-note.tsx";
import { isZone, type Zone } from "../time/time-text.ts";
import { Shell } from "./shell.tsx";

interface EverySearch {
  /** Overrides the zone of this browser. */
  readonly zone?: Zone;
}

const root = createRootRoute({
  component: Shell,
  validateSearch: ({ zone }: Record<string, unknown>): EverySearch =>
    isZone(zone) ? { zone } : {},
  search: { middlewares: [retainSearchParams(["zone"])] },
  notFoundComponent: NotFound,
});

const overview = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("../pages/overview/overview-page.tsx")),
});

interface SelectionSearch {
  /** Ids of messages with commas between them. */
  readonly selected?: string | undefined;
}

function selectionIn({ selected }: Record<string, unknown>): SelectionSearch {
  return typeof selected === "string" && selected !== "" ? { selected } : {};
}

const messages = createRoute({
  getParentRoute: () => root,
  path: "/messages",
  validateSearch: (search: Record<string, unknown>): SelectionSearch & { q?: string } => ({
    ...(typeof search["q"] === "string" && search["q"] !== "" && { q: search["q"] }),
    ...selectionIn(search),
  }),
  component: lazyRouteComponent(() => import("../pages/messages/messages-page.tsx")),
});

const message = createRoute({
  getParentRoute: () => root,
  path: "/messages/$messageId",
  component: lazyRouteComponent(() => import("../pages/message/message-page.tsx")),
});

const targets = createRoute({
  getParentRoute: () => root,
  path: "/targets",
  component: lazyRouteComponent(() => import("../pages/targets/targets-page.tsx")),
});

const targetTabs = ["health", "scheduled", "dead-letters", "settings", "secret", "test"] as const;
export type TargetTab = (typeof targetTabs)[number];

const target = createRoute({
  getParentRoute: () => root,
  path: "/targets/$targetId",
  validateSearch: (search: Record<string, unknown>): SelectionSearch & { tab?: TargetTab } => ({
    ...(targetTabs.includes(search["tab"] as TargetTab) && { tab: search["tab"] as TargetTab }),
    ...selectionIn(search),
  }),
  component: lazyRouteComponent(() => import("../pages/targets/target-page.tsx")),
});

const deadLetters = createRoute({
  getParentRoute: () => root,
  path: "/dead-letters",
  component: lazyRouteComponent(() => import("../pages/dead-letters/dead-letters-page.tsx")),
});

const jobs = createRoute({
  getParentRoute: () => root,
  path: "/jobs",
  component: lazyRouteComponent(() => import("../pages/jobs/jobs-page.tsx")),
});

const job = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$jobId",
  component: lazyRouteComponent(() => import("../pages/jobs/job-page.tsx")),
});

const schedules = createRoute({
  getParentRoute: () => root,
  path: "/schedules",
  validateSearch: ({ targetId }: Record<string, unknown>): { targetId?: string } =>
    typeof targetId === "string" ? { targetId } : {},
  component: lazyRouteComponent(() => import("../pages/schedules/schedules-page.tsx")),
});

const scheduleTabs = ["coming", "calendar", "runs", "settings", "edit"] as const;
export type ScheduleTab = (typeof scheduleTabs)[number];

const schedule = createRoute({
  getParentRoute: () => root,
  path: "/schedules/$scheduleId",
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: ScheduleTab } =>
    scheduleTabs.includes(tab as ScheduleTab) ? { tab: tab as ScheduleTab } : {},
  component: lazyRouteComponent(() => import("../pages/schedules/schedule-page.tsx")),
});

// Not below /schedules: there every name may be the id of a schedule.
const newSchedule = createRoute({
  getParentRoute: () => root,
  path: "/new-schedule",
  component: lazyRouteComponent(() => import("../pages/schedules/new-schedule-page.tsx")),
});

export interface ForecastSearch {
  readonly targetId?: string | undefined;
  readonly days?: string;
  /** The hour that is open: when it begins; or `overdue`. */
  readonly hour?: string | undefined;
}

const forecast = createRoute({
  getParentRoute: () => root,
  path: "/forecast",
  validateSearch: ({ targetId, days, hour }: Record<string, unknown>): ForecastSearch => ({
    ...(typeof targetId === "string" && targetId !== "" && { targetId }),
    ...(typeof days === "string" && /^(?:7|14|28)$/.test(days) && { days }),
    ...(typeof hour === "string" &&
      (hour === "overdue" || !Number.isNaN(Date.parse(hour))) && { hour }),
  }),
  component: lazyRouteComponent(() => import("../pages/forecast/forecast-page.tsx")),
});

export interface LiveSearch {
  readonly endpoint?: string | undefined;
  /** A part of the type of events. */
  readonly type?: string | undefined;
  readonly target?: string | undefined;
}

const live = createRoute({
  getParentRoute: () => root,
  path: "/live",
  validateSearch: ({ endpoint, type, target }: Record<string, unknown>): LiveSearch => ({
    ...(typeof endpoint === "string" && endpoint !== "" && { endpoint }),
    ...(typeof type === "string" && type !== "" && { type }),
    ...(typeof target === "string" && target !== "" && { target }),
  }),
  component: lazyRouteComponent(() => import("../pages/live/live-page.tsx")),
});

const access = createRoute({
  getParentRoute: () => root,
  path: "/access",
  component: lazyRouteComponent(() => import("../pages/access/access-page.tsx")),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: ({ since }: Record<string, unknown>): { since?: string } =>
    typeof since === "string" && /^(?:1d|7d|30d|all)$/.test(since) ? { since } : {},
  component: lazyRouteComponent(() => import("../pages/audit/audit-page.tsx")),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: "/usage",
  component: lazyRouteComponent(() => import("../pages/usage/usage-page.tsx")),
});

const nodes = createRoute({
  getParentRoute: () => root,
  path: "/nodes",
  component: lazyRouteComponent(() => import("../pages/nodes/nodes-page.tsx")),
});

const operatorTabs = ["accounts", "signing-keys", "audit"] as const;
export type OperatorTab = (typeof operatorTabs)[number];

const operator = createRoute({
  getParentRoute: () => root,
  path: "/operator",
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: OperatorTab } =>
    operatorTabs.includes(tab as OperatorTab) ? { tab: tab as OperatorTab } : {},
  component: lazyRouteComponent(() => import("../pages/operator/operator-page.tsx")),
});

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    messages,
    message,
    targets,
    target,
    deadLetters,
    jobs,
    job,
    schedules,
    schedule,
    newSchedule,
    forecast,
    live,
    access,
    audit,
    usage,
    nodes,
    operator,
  ]),
  basepath: consolePath,
  // Plain text: the router's own way would read a long number as another one.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch,
  defaultErrorComponent: ({ error, reset }) => (
    <Page title="Something went wrong">
      <ProblemNote error={error} onRetry={reset} />
    </Page>
  ),
  scrollRestoration: true,
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
});

function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).filter(([, value]) => typeof value === "string");
  const text = String(new URLSearchParams(given as [string, string][]));
  return text === "" ? "" : `?${text}`;
}

function NotFound() {
  return (
    <Page title="There is no such page">
      <p>
        Go to the <Link to="/">overview</Link>, or press ⌘K to jump to a page.
      </p>
    </Page>
  );
}

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
