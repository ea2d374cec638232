import type { Instant } from "../domain/instant.ts";
import type { RunningPart } from "../platform/running-parts.ts";
import { stoppedTogether } from "../platform/running-parts.ts";
import type { DeliveryStore } from "../storage/store.ts";
import type { ClusterObserver } from "./cluster/cluster-observer.ts";
import { LookAhead } from "./cluster/look-ahead.ts";
import type { LookAheadOptions } from "./cluster/look-ahead.ts";
import { Membership } from "./cluster/membership.ts";
import type { MembershipOptions } from "./cluster/membership.ts";
import { Precedence } from "./cluster/precedence.ts";
import { engineBounds } from "./delivery/bounds.ts";
import type { EngineBounds } from "./delivery/bounds.ts";
import { Dispatcher } from "./delivery/dispatcher.ts";
import type { DispatcherOptions } from "./delivery/dispatcher.ts";
import type { DeliveryObserver } from "./delivery/delivery-observer.ts";
import type { JobObserver } from "./jobs/job-observer.ts";
import { JobRunner } from "./jobs/job-runner.ts";
import type { JobRunnerOptions } from "./jobs/job-runner.ts";
import { createEvents } from "./events/create-events.ts";
import type {
  EventObserver,
  EventPartsOptions,
  Events,
  EventSending,
} from "./events/create-events.ts";
import { Expiry } from "./maintenance/expiry.ts";
import { OutrunMessages } from "./maintenance/outrun-messages.ts";
import type { OutrunMessagesOptions } from "./maintenance/outrun-messages.ts";
import { RunJudge } from "./schedules/run-judge.ts";
import type { RunJudgeOptions } from "./schedules/run-judge.ts";
import type { ScheduleObserver } from "./schedules/schedule-observer.ts";
import { ScheduleRunner } from "./schedules/schedule-runner.ts";
import type { ScheduleRunnerOptions } from "./schedules/schedule-runner.ts";

export interface EngineOptions extends Omit<
  DispatcherOptions,
  "store" | "membership" | "precedence" | "bounds" | "noteBound" | "observer"
> {
  readonly store: DispatcherOptions["store"] &
    LookAheadOptions["store"] &
    MembershipOptions["store"] &
    Pick<DeliveryStore, "removeExpired"> &
    OutrunMessagesOptions["store"] &
    JobRunnerOptions["store"] &
    ScheduleRunnerOptions["store"] &
    RunJudgeOptions["store"] &
    EventPartsOptions["store"];
  readonly observer: DeliveryObserver &
    ClusterObserver &
    JobObserver &
    ScheduleObserver &
    EventObserver;
  readonly events: EventSending;
  readonly nodeId: string;
  readonly bounds?: EngineBounds;
}

export interface Engine {
  /** Operations call these. */
  readonly delivery: Pick<Dispatcher, "noteDue" | "targetChanged"> &
    Pick<OutrunMessages, "noteBound"> &
    Pick<JobRunner, "noteJob"> &
    Pick<ScheduleRunner, "noteSchedule">;
  readonly events: Events;
  /** In the order in which they start. */
  readonly parts: readonly RunningPart[];
}

/**
 * Connects the parts that run by themselves. Membership and look-ahead report to the dispatcher, which
 * delivers.
 */
export function createEngine(options: EngineOptions): Engine {
  const { store, timers, observer, nodeId, role, bounds = engineBounds } = options;
  const precedence = new Precedence(nodeId);
  let hasApiNodes = false;
  const membership: Membership = new Membership({
    ...options,
    onJoined: () => {
      dispatcher.wake();
      events.courier.noteEndpoint();
      jobs.noteJob();
      schedules.noteSchedule();
    },
    onNodes: (nodes) => {
      const delivering = nodes.filter((node) => node.role !== "api");
      precedence.learn(delivering.map((node) => node.nodeId));
      hasApiNodes = delivering.length < nodes.length;
    },
    onGone: () => {
      events.courier.noteEndpoint();
      jobs.noteJob();
      schedules.noteSchedule();
    },
    onFreed: (targetKeys) => {
      for (const targetKey of targetKeys) dispatcher.noteFreed(targetKey);
    },
    onLost: () => {
      observer.trouble(new Error("the lease has run out"), "holding this node's lease");
      dispatcher.interrupt();
      events.courier.interrupt();
    },
  });
  const noteBound = (notAfter: Instant): void => outrun.noteBound(notAfter);
  const dispatcher = new Dispatcher({ ...options, membership, precedence, bounds, noteBound });
  const lookAhead = new LookAhead({
    ...options,
    bounds,
    found: (target) => dispatcher.noteFound(target),
    reliedUpon: () => hasApiNodes,
  });
  const events = createEvents({ ...options, membership });
  const upkeep = { store, clock: store.clock, timers, observer };
  const expiry = new Expiry({
    ...upkeep,
    remove: (limit) => store.removeExpired(limit),
    doing: "removing expired messages",
  });
  const outrun = new OutrunMessages(upkeep);
  const planned: JobRunnerOptions["delivery"] = {
    noteDue: (...due) => dispatcher.noteDue(...due),
    targetChanged: (...changed) => dispatcher.targetChanged(...changed),
    noteBound,
  };
  const jobs = new JobRunner({ ...options, membership, delivery: planned });
  const judge = new RunJudge({ ...options, membership });
  const schedules = new ScheduleRunner({
    ...options,
    membership,
    delivery: planned,
    onRunsMade: () => judge.noteRuns(),
  });
  const delivery: Engine["delivery"] = {
    ...planned,
    noteJob: () => jobs.noteJob(),
    noteSchedule() {
      schedules.noteSchedule();
      judge.noteRuns();
    },
  };
  // A node that only accepts messages keeps its membership alive and leaves the rest to other nodes.
  if (role === "api") {
    return { delivery, events, parts: [events.logs, membership, events.reading] };
  }
  // The dispatcher claims from the first look on, and claims nothing more once the stop has begun. The
  // node leaves the cluster when no attempt is in flight any more.
  const working = [dispatcher, lookAhead, expiry, outrun, jobs, schedules, judge];
  const parts = [
    events.logs,
    membership,
    // Whoever reads events is sent away at once, and goes on at another node.
    stoppedTogether([...working, ...events.delivering, events.reading]),
  ];
  return { delivery, events, parts };
}
