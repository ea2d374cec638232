import type { EventType, EventTypePattern } from "@postdate/client";
import type { MarkTone } from "../../presentation/mark.tsx";

/** Every type that this console knows, in the colour of its mark. A newer server may have others. */
const tones: Readonly<Record<EventType, MarkTone>> = {
  "message.scheduled": "wait",
  "message.rescheduled": "wait",
  "message.replaced": "wait",
  "message.cancelled": "quiet",
  "message.attempt_failed": "bad",
  "message.delivered": "good",
  "message.dead_lettered": "bad",
  "target.created": "wait",
  "target.updated": "wait",
  "target.paused": "quiet",
  "target.resumed": "good",
  "target.removed": "quiet",
  "target.failing": "bad",
  "target.recovered": "good",
  "schedule.created": "wait",
  "schedule.updated": "wait",
  "schedule.paused": "quiet",
  "schedule.resumed": "good",
  "schedule.removed": "quiet",
  "schedule.run_created": "good",
  "schedule.run_skipped": "quiet",
  "schedule.run_missed": "bad",
  "job.started": "wait",
  "job.paused": "quiet",
  "job.ended": "wait",
  "endpoint.disabled": "bad",
};

export const eventTypes = Object.keys(tones) as readonly EventType[];

export function isKnownType(type: string): type is EventType {
  return Object.hasOwn(tones, type);
}

export function toneOf(type: string): MarkTone {
  return isKnownType(type) ? tones[type] : "quiet";
}

/** What an endpoint does not get unless it asks for it. */
export const leftOutTypes: readonly EventType[] = ["message.scheduled", "message.attempt_failed"];

/** The types that an endpoint gets. Null: it has named none. */
export function typesOf(patterns: readonly EventTypePattern[] | null): readonly EventType[] {
  return eventTypes.filter((type) =>
    patterns === null
      ? !leftOutTypes.includes(type)
      : patterns.some(
          (pattern) => pattern === type || pattern === `${type.slice(0, type.indexOf("."))}.*`,
        ),
  );
}
