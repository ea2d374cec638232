import { expect, test } from "vitest";
import { positionText } from "../../domain/events/position-text.ts";
import type { StreamPart } from "../../operations/operations.ts";
import { framesOf } from "./event-frames.ts";

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
  for await (const frame of framesOf(stream)) frames.push(frame);
  expect(frames).toEqual([
    "retry: 2000\n\n",
    `event: postdate.gap\ndata: {"position":"${positionText({ position: 7, mark: "m7" })}"}\n\n`,
    `: at ${positionText({ position: 9, mark: null })}\n\n`,
  ]);
  expect(waits).toEqual([15_000, 15_000, 15_000]);
});
