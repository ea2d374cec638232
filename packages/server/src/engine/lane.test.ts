import { expect, test } from "vitest";
import { defaultRetryPolicy } from "../domain/retry-policy.ts";
import { Lane } from "./lane.ts";
import type { OpenTarget } from "./lane.ts";

const target: OpenTarget = {
  targetKey: 1,
  accountId: "acc",
  targetId: "t",
  kind: "webhook",
  sealedSettings: "",
  sealedSecrets: "",
  retryPolicy: defaultRetryPolicy,
  maxConcurrency: 8,
  rateLimit: null,
  paused: false,
  creationTime: 0,
  updateTime: 0,
  revision: 1,
  settings: { url: "http://x", headers: {}, contentType: "text/plain", timeoutMs: 1 },
  secrets: { current: "", previous: null, previousUntil: null },
};

test("room is what the concurrency leaves", () => {
  const lane = new Lane(1);
  lane.inFlight = 5;
  expect(lane.room(target, 0)).toEqual({ kind: "open", slots: 3 });
  lane.inFlight = 8;
  expect(lane.room(target, 0)).toEqual({ kind: "busy" });
  expect(lane.room({ ...target, paused: true }, 0)).toEqual({ kind: "paused" });
});

test("a rate limit closes the lane until a known instant", () => {
  const limited = { ...target, rateLimit: { max: 2, intervalMs: 1_000 } };
  const lane = new Lane(1);
  expect(lane.room(limited, 10_000)).toEqual({ kind: "open", slots: 2 });
  lane.spend(limited, 10_000, 2);
  expect(lane.room(limited, 10_000)).toEqual({ kind: "later", at: 10_500 });
  expect(lane.room(limited, 10_500)).toEqual({ kind: "open", slots: 1 });
});

test("timeouts bring a target down to one attempt at a time, answers bring it back", () => {
  const lane = new Lane(1);
  for (let inFlight = 7; inFlight >= 0; inFlight--) {
    lane.inFlight = inFlight;
    lane.learn("TIMEOUT");
  }
  expect(lane.room(target, 0)).toEqual({ kind: "open", slots: 1 });
  lane.learn("BAD_STATUS");
  expect(lane.room(target, 0)).toEqual({ kind: "open", slots: 2 });
  lane.learn("DELIVERED");
  lane.learn("DELIVERED");
  expect(lane.room(target, 0)).toEqual({ kind: "open", slots: 8 });
});
