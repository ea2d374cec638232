import { bookmarkOf } from "../../domain/events/bookmark.ts";
import type { EventData, EventMessage, LoggedEvent } from "../../domain/events/event.ts";
import { subjectOf } from "../../domain/events/event.ts";
import { positionText } from "../../domain/events/position-text.ts";
import { formatTime } from "../../domain/times.ts";
import type { EventsRead, TestEvent } from "../../operations/operations.ts";
import { timeOrNull, wireMessage, writeMessage } from "./wire-messages.ts";
import { wireRetryPolicy } from "./wire-retry-policy.ts";

/** Of events that are held in memory anyway. Readers at the same place share the text. */
const texts = new WeakMap<LoggedEvent, string>();

/** An event as CloudEvents 1.0 in JSON. */
export function writeEvent(event: LoggedEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = `${writeFields(event)}}`;
  texts.set(event, text);
  return text;
}

/** The answer to a call that reads events. */
export function writeEventList({ events, nextPlace }: EventsRead): string {
  const list = events.map(writeReadEvent).join(",");
  return `{"events":[${list}],"nextPosition":"${positionText(nextPlace)}"}`;
}

/** With its place in the log. */
function writeReadEvent(event: LoggedEvent): string {
  return `${writeEvent(event).slice(0, -1)},"position":"${positionText(bookmarkOf(event))}"}`;
}

/** What a test of an endpoint sends. It is in no log. */
export function writeTestEvent({ accountId, endpointId, eventId, time }: TestEvent): string {
  const text = writeEnvelope(
    { accountId, eventId, time, subject: `event-endpoints/${endpointId}` },
    "endpoint.test",
    JSON.stringify({ endpoint: { endpointId, statusCode: null } }),
  );
  return `${text}}`;
}

function writeFields(event: LoggedEvent): string {
  const { accountId, eventId, time, type, data } = event;
  return writeEnvelope(
    { accountId, eventId, time, subject: subjectOf(data) },
    type,
    writeData(data),
  );
}

interface Envelope {
  readonly accountId: string;
  readonly eventId: string;
  readonly time: number;
  readonly subject: string;
}

/** Without its closing brace. Ids and types consist of plain characters. */
function writeEnvelope(
  { accountId, eventId, time, subject }: Envelope,
  type: string,
  data: string,
): string {
  return (
    `{"specversion":"1.0","id":"${eventId}","source":"/accounts/${accountId}",` +
    `"type":"postdate.${type}.v1","subject":"${subject}","time":"${formatTime(time)}",` +
    `"datacontenttype":"application/json","data":${data}`
  );
}

function writeData({ message, ...others }: EventData): string {
  const rest = JSON.stringify(wireOthers(others));
  if (message === undefined) return rest;
  const text = `{"message":${writeMessage(wireEventMessage(message))}`;
  return rest === "{}" ? `${text}}` : `${text},${rest.slice(1)}`;
}

/** As the API shows a message. */
function wireEventMessage({ options, ...message }: EventMessage) {
  if (options === null) return wireMessage({ ...message, options });
  const { headerNames: names, ...given } = options;
  const headers = names === undefined ? {} : { headers: { names, sealed: "" } };
  return wireMessage({ ...message, options: { ...given, ...headers } });
}

function wireOthers({
  attempt,
  target,
  health,
  schedule,
  run,
  job,
  endpoint,
}: Omit<EventData, "message">) {
  return {
    ...(attempt && {
      attempt: {
        number: attempt.number,
        startTime: formatTime(attempt.startTime),
        endTime: formatTime(attempt.endTime),
        outcome: attempt.outcome,
        statusCode: attempt.statusCode,
        error: attempt.error,
      },
    }),
    ...(target && {
      target: {
        targetId: target.targetId,
        kind: target.kind,
        retryPolicy: wireRetryPolicy(target.retryPolicy),
        maxConcurrency: target.maxConcurrency,
        rateLimit: target.rateLimit,
        paused: target.paused,
      },
    }),
    ...(health && {
      health: { failedAttempts: health.failedAttempts, since: formatTime(health.since) },
    }),
    ...(schedule && {
      schedule: {
        ...schedule,
        pausedUntil: timeOrNull(schedule.pausedUntil),
        nextRunTime: timeOrNull(schedule.nextRunTime),
      },
    }),
    ...(run && { run: { ...run, runTime: formatTime(run.runTime) } }),
    ...(job && { job }),
    ...(endpoint && { endpoint }),
  };
}
