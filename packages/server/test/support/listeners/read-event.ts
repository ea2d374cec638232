import type { LoggedEvent } from "../../../src/domain/events/event.ts";
import type { EventType } from "../../../src/domain/events/event-types.ts";
import { readPositionText } from "../../../src/domain/events/position-text.ts";
import type { TestEvent } from "../event-stream.ts";
import { readAttempt } from "../final-look.ts";
import { readMessage } from "../logged-calls.ts";

/** The number that a position stands for. */
export function readPosition(text: string): number {
  const place = readPositionText(text);
  if (place === undefined) throw new Error(`no position: ${text}`);
  return place.position;
}

/** Reads an event from its wire form, with instants as numbers. */
export function readEvent(wire: TestEvent): LoggedEvent {
  const { message, attempt, health, ...others } = wire.data;
  const type = /^postdate\.(.+)\.v1$/.exec(wire["type"])![1] as EventType;
  const subject = message ?? others.target ?? others.schedule;
  return {
    accountId: String(wire["source"]).replace("/accounts/", ""),
    eventId: wire["id"],
    position: readPosition(wire.position),
    type,
    time: Date.parse(wire["time"]),
    targetId: subject?.targetId ?? null,
    data: {
      ...others,
      ...(message !== undefined && { message: readMessage(message) }),
      ...(attempt !== undefined && { attempt: readAttempt(attempt) }),
      ...(health !== undefined && { health: { ...health, since: Date.parse(health.since) } }),
    },
  };
}
