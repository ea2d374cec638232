import { expect, test } from "vitest";
import type { Labels } from "../domain/message-options.ts";
import { messageWeight } from "./message-weight.ts";

const labels = (count: number, value: string): Labels =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name-${index}`, value]));

const headers = { names: ["authorization"], sealed: "x".repeat(5_500) };

const retryPolicy = {
  ...{ maxAttempts: 101, maxRetryAfterMs: 1_000, finalStatuses: [] },
  backoff: { kind: "list", delaysMs: Array.from({ length: 100 }, () => 604_800_000), jitter: 0 },
} as const;

test.each([
  { what: "nothing else", payload: "", options: null, weight: 1 },
  { what: "a long payload", payload: "x".repeat(7_680), options: null, weight: 11 },
  { what: "a key", payload: "", options: { key: "k" }, weight: 2 },
  { what: "two short labels", payload: "", options: { labels: labels(2, "v") }, weight: 2 },
  { what: "eight short labels", payload: "", options: { labels: labels(8, "v") }, weight: 5 },
  {
    what: "eight long labels",
    payload: "",
    options: { labels: labels(8, "v".repeat(100)) },
    weight: 6,
  },
  { what: "a long retry policy", payload: "", options: { retryPolicy }, weight: 2 },
  { what: "4 KiB of headers", payload: "", options: { headers }, weight: 8 },
  {
    what: "all of them",
    payload: "x".repeat(768),
    options: { key: "k".repeat(200), labels: labels(8, "v".repeat(100)), headers },
    weight: 15,
  },
])("a message with $what weighs $weight", ({ payload, options, weight }) => {
  expect(messageWeight({ payload, options })).toBe(weight);
});
