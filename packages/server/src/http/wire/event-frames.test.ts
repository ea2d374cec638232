import { expect, test } from "vitest";
import type { LoggedEvent } from "../../domain/events/event.ts";
import { positionText } from "../../domain/events/position-text.ts";
import type { StreamPart } from "../../operations/operations.ts";
import { framesOf } from "./event-frames.ts";

const inTurn = async <Piece>(write: () => Piece): Promise<Piece> => write();

test("a comment says how far the log was looked at, and a gap is no place to resume from", async () => {
  const parts: StreamPart[] = [
    { kind: "gap", place: { position: 7, mark: "m7" } },
    { kind: "quiet", place: { position: 9, mark: null } },
    { kind: "ended" },
  ];
  const waits: number[] = [];
  const stream = {
    next: async (withinMs: number) => {
      waits.push(withinMs);
      return parts.shift()!;
    },
  };
  const frames: string[] = [];
  for await (const frame of framesOf(stream, { isAdmitted: async () => false, inTurn }))
    frames.push(frame);
  expect(frames).toEqual([
    "retry: 2000\n\n",
    `event: postdate.gap\ndata: {"position":"${positionText({ position: 7, mark: "m7" })}"}\n\n`,
    `: at ${positionText({ position: 9, mark: null })}\n\n`,
  ]);
  expect(waits).toEqual([15_000, 15_000, 15_000]);
});

test("a reader who is no longer let in gets no more events, also of a part that was read", async () => {
  const events = Array.from({ length: 50 }, (_, index): LoggedEvent => ({
    ...{ accountId: "a", eventId: `evt_${index}`, position: index + 1, time: 0, targetId: null },
    ...{
      type: "endpoint.disabled",
      data: { endpoint: { endpointId: "e".repeat(1_000), statusCode: 410 } },
    },
  }));
  const parts: StreamPart[] = [{ kind: "events", events }, { kind: "ended" }];
  const stream = { next: async () => parts.shift()! };
  let admitted = 2;
  const pieces: string[] = [];
  for await (const piece of framesOf(stream, { isAdmitted: async () => admitted-- > 0, inTurn }))
    pieces.push(piece);
  const told = pieces.join("").match(/^id: /gm) ?? [];
  expect(pieces).toHaveLength(3);
  expect(told.length).toBeGreaterThan(0);
  expect(told.length).toBeLessThan(events.length);
});
