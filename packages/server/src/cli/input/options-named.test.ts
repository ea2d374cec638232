import { expect, test } from "vitest";
import { CommandFailed } from "../failures/exit-codes.ts";
import { inOptions, optionFor, withOptionsNamed } from "./options-named.ts";

test.each([
  ["catchUp.windowMs", "--catch-up"],
  ["message.notAfterMs", "--not-after"],
  ["message.labels.order", "--label order"],
  ["message.labels", "--label"],
  ["message.headers.x-a.b", "--header x-a.b"],
  ["message.retryPolicy.backoff.delaysMs[0]", "--backoff"],
  ["message.retryPolicy.backoff.maxMs", "--backoff-longest"],
  ["at", "--at"],
  ["at[3]", "--at"],
  ["until", "--until"],
  ["payload", "payload"],
])("the field %s is the option %s", (field, option) => {
  expect(optionFor(field)).toBe(option);
});

test.each([
  [
    "message.labels.a must have at most 100 characters.",
    "--label a must have at most 100 characters.",
  ],
  ["message.labels must have at most 8 entries.", "--label must have at most 8 entries."],
  [
    "from must not be later than to, nor in the future.",
    "--from must not be later than --to, nor in the future.",
  ],
  ["Check startTime, endTime, except and from.", "Check --start, --end, --except and --from."],
  ["at has no occurrence: each is past.", "--at has no occurrence: each is past."],
  ["Pause until a resume, at once, and note it.", "Pause until a resume, at once, and note it."],
  ['There is no target "cron".', 'There is no target "cron".'],
  ["Give --cron again.", "Give --cron again."],
])("%j says %j", (sentence, said) => {
  expect(inOptions(sentence)).toBe(said);
});

test.each([
  [
    "catchUp.windowMs must be 31622400000 or less.",
    "catchUp.windowMs",
    "--catch-up must be 366 d or less.",
  ],
  ["flexWindowMs must be 86400000 or less.", "flexWindowMs", "--flex must be 1 d or less."],
  [
    "message.retryPolicy.backoff.delaysMs[0] must be 2592000000 or less.",
    "message.retryPolicy.backoff.delaysMs[0]",
    "--backoff must be 30 d or less.",
  ],
  [
    "retryPolicy.backoff.maxMs must not be less than initialMs, which is 5000.",
    "message.retryPolicy.backoff.maxMs",
    "--backoff-longest must not be less than --backoff-start, which is 5 s.",
  ],
  ["maxRuns must be 1 or more.", "maxRuns", "--max-runs must be 1 or more."],
  ["Give one of everyMs and at.", "at", "Give one of --every and --at. (--at)"],
])("a refusal %j is told in options and durations", (message, field, said) => {
  const problems = [{ code: "E-DI-1001", message, field }];
  const refused = new CommandFailed(1, `E-DI-1001: ${message} (${field})`, "Advice.").because(
    problems,
  );
  const told = withOptionsNamed(refused) as CommandFailed;
  expect(told.lines).toEqual([`E-DI-1001: ${said}`, "Advice."]);
  expect(told.problems).toBe(problems);
});

test("other failures stay as they are", () => {
  const bug = new Error("cron");
  expect(withOptionsNamed(bug)).toBe(bug);
});
