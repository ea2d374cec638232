/**
 * Everything that an account can be told about. Stores keep a type by its index, which is also its bit in a
 * mask: append only, and no more than 31.
 */
export const eventTypes = [
  "message.scheduled",
  "message.rescheduled",
  "message.replaced",
  "message.cancelled",
  "message.attempt_failed",
  "message.delivered",
  "message.dead_lettered",
  "target.created",
  "target.updated",
  "target.paused",
  "target.resumed",
  "target.removed",
  "target.failing",
  "target.recovered",
  "schedule.created",
  "schedule.updated",
  "schedule.paused",
  "schedule.resumed",
  "schedule.removed",
  "schedule.run_created",
  "schedule.run_skipped",
  "schedule.run_missed",
  "job.started",
  "job.paused",
  "job.ended",
  "endpoint.disabled",
] as const;

export type EventType = (typeof eventTypes)[number];

export type ScheduleEventType = Extract<EventType, `schedule.${string}`>;
export type MessageEventType = Extract<EventType, `message.${string}`>;

/** Which types are wanted: a bit for each, by its index. Zero: none. */
export type EventMask = number;

export function bitOf(type: EventType): EventMask {
  return 1 << eventTypes.indexOf(type);
}

/** One type, or all types of a noun, such as `message.*`. */
export function isTypePattern(text: string): boolean {
  return typesLike(text).length > 0;
}

function typesLike(pattern: string): readonly EventType[] {
  if (!pattern.endsWith(".*")) return eventTypes.filter((type) => type === pattern);
  const noun = pattern.slice(0, -1);
  return eventTypes.filter((type) => type.startsWith(noun));
}

/** The busiest two are left out: most who listen want to know how messages end. */
const defaultTypes: readonly EventType[] = eventTypes.filter(
  (type) => type !== "message.scheduled" && type !== "message.attempt_failed",
);

/** Null: what an endpoint gets that names no types. */
export function maskOf(patterns: readonly string[] | null): EventMask {
  const types = patterns === null ? defaultTypes : patterns.flatMap(typesLike);
  return types.reduce((mask, type) => mask | bitOf(type), 0);
}

/** The types whose events a store writes for messages of a target, and those that need its health. */
export const messageMask: EventMask = maskOf(["message.*"]);
export const healthMask: EventMask = maskOf(["target.failing", "target.recovered"]);
