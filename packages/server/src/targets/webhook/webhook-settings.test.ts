import { expect, test } from "vitest";
import { deliveryTo, openTarget, settingsFor } from "./testing/deliveries.ts";
import { startReceiver } from "./testing/receivers.ts";
import { completeWebhook, mergeWebhook } from "./webhook-settings.ts";

const url = "https://receiver.example/hook";
/** 4,096 and 4,096 characters with their names. */
const most = { "x-a": "v".repeat(4_093), "x-b": '"'.repeat(4_093) };
const tooMany = { ...most, "x-c": "" };
const problems = [
  {
    code: "E-DI-1001",
    message:
      "Shorten the headers: their names and values may have at most 8192 characters together.",
    field: "headers",
  },
];

test("all headers of a target together have 8,192 characters at most", () => {
  expect(completeWebhook({ url, headers: most }).problems).toEqual([]);
  expect(completeWebhook({ url, headers: tooMany }).problems).toEqual(problems);
});

test("a change of the headers counts the values that it keeps", () => {
  const kept = settingsFor(url, { headers: most });
  expect(mergeWebhook(kept, { headers: { "x-a": "set", "x-b": "set" } }).problems).toEqual([]);
  const change = { headers: { "x-a": "set", "x-b": "set", "x-c": "" } };
  expect(mergeWebhook(kept, change).problems).toEqual(problems);
});

test("a target that was made with more headers can be changed otherwise", () => {
  const kept = settingsFor(url, { headers: tooMany });
  expect(mergeWebhook(kept, { timeoutMs: 1_000 })).toEqual({
    settings: { ...kept, timeoutMs: 1_000 },
    problems: [],
  });
});

test("a target that was made with more headers is delivered to as before", async () => {
  const receiver = await startReceiver();
  const settings = settingsFor(receiver.url, { headers: tooMany });
  const report = await openTarget().deliver(deliveryTo(settings));
  expect(report).toMatchObject({ outcome: "DELIVERED" });
  expect(receiver.requests[0]!.headers).toMatchObject(tooMany);
});
