import { expect, test } from "vitest";
import { connected } from "../testing/connected-terminal.ts";
import { exitCodes } from "../failures/exit-codes.ts";

/** Renames the window, clears the screen, hides what follows, turns text around, and begins a line. */
const hostile = "\u001b]0;owned\u0007\u001b[2J\u001b[8mhidden\u009b1m\u202e\nforged";

const run = {
  runTime: hostile,
  trigger: hostile,
  outcome: hostile,
  reason: hostile,
  messageState: hostile,
};

const statNames = ["pending", "overdue", "dueInMinute", "dueInHour", "dueInDay", "deadLetters"];
const attemptCounts = {
  ...{ attempts: 1, outcomes: { [hostile]: 1 } },
  ...{ durations: { p50Ms: 1, p99Ms: 1 }, lateness: { p50Ms: 1, p99Ms: 1 } },
};
/** An answer with every field that a command reads. */
const answer = {
  keyId: hostile,
  key: hostile,
  clientId: hostile,
  clientSecret: hostile,
  accountId: hostile,
  messageId: hostile,
  targetId: hostile,
  name: hostile,
  state: hostile,
  kind: "webhook",
  url: hostile,
  contentType: hostile,
  headers: { [hostile]: "set" },
  timeoutMs: 1,
  paused: false,
  maxConcurrency: 1,
  rateLimit: null,
  retryPolicy: {
    maxAttempts: 1,
    backoff: { kind: "list", delaysMs: [1], jitter: 0 },
    finalStatuses: [],
    maxRetryAfterMs: 1,
  },
  secret: hostile,
  scopes: [hostile],
  monthlyMessageLimit: null,
  requestLimit: null,
  creationTime: hostile,
  updateTime: hostile,
  secretTime: hostile,
  suspensionTime: hostile,
  deliveryFailureCount: hostile,
  nextDeliveryTime: hostile,
  lastDeliveryTime: hostile,
  deadLetterTime: null,
  cancellationTime: null,
  originalDeliveryTime: hostile,
  schedulingTime: hostile,
  expirationTime: hostile,
  month: hostile,
  used: hostile,
  limit: null,
  remaining: null,
  resetTime: hostile,
  nodeId: hostile,
  role: hostile,
  joinTime: hostile,
  heartbeatAgeMs: 1,
  inFlight: hostile,
  time: hostile,
  actor: { kind: "subject", id: hostile },
  action: hostile,
  subjectId: hostile,
  labels: { [hostile]: hostile },
  notAfter: hostile,
  deadLetterReason: hostile,
  detail: { [hostile]: hostile },
  jobId: hostile,
  filter: { targetId: hostile, labels: { [hostile]: hostile }, keyPrefix: hostile },
  deliveryTime: hostile,
  byMs: null,
  matched: 1,
  done: 1,
  skipped: { changed: 1, inFlight: 1 },
  failedAgain: 1,
  ratePerSecond: 1,
  maxMessages: 1,
  stopAfterFailures: 1,
  note: hostile,
  endTime: hostile,
  stopReason: hostile,
  scheduleId: hostile,
  payload: hostile,
  message: { labels: { [hostile]: hostile }, headers: { [hostile]: "set" } },
  cron: [hostile],
  everyMs: null,
  at: null,
  timeZone: hostile,
  startTime: hostile,
  maxRuns: 1,
  except: [hostile],
  flexWindowMs: 1,
  overlap: hostile,
  catchUp: { mode: hostile, windowMs: 1 },
  pauseAfterDeadLetters: 1,
  nextRunTime: hostile,
  lastRun: { ...run, scheduleId: hostile },
  pause: { time: hostile, note: hostile, until: hostile, reason: hostile },
  skips: [hostile],
  ...run,
  ...Object.fromEntries(statNames.map((name) => [name, { value: 1, exact: true, asOf: hostile }])),
  bucket: hostile,
  asOf: hostile,
  counting: false,
  messages: 1,
  ...attemptCounts,
  total: attemptCounts,
  lastStatusCode: hostile,
  lastTime: hostile,
  sample: { messageId: hostile, deadLetterReason: hostile },
};
const attempt = { number: 1, startTime: hostile, endTime: hostile, outcome: hostile };
const attempts = [{ ...attempt, statusCode: hostile, error: hostile, response: hostile }];
const json = {
  ...answer,
  items: [answer],
  attempts,
  attempt: attempts[0],
  occurrences: [{ time: hostile, localTime: hostile, offset: hostile, mark: null }],
  nextPageToken: null,
  count: 1,
  exact: true,
  sample: [answer],
};

const commands = [
  "key create --name x",
  "key list",
  "client create --name x",
  "client list",
  "client rotate-secret cli_x",
  "account create",
  "account list",
  "account list --all",
  "account get x",
  "account update x --name y",
  "account create-key x --name y",
  "send t p",
  "send t p --wait",
  "send t p --message-key k",
  "get m",
  "get --target t --message-key k",
  "cancel m",
  "reschedule m --in 1h",
  "attempts m",
  "payload m",
  "list t",
  "list t --all",
  "dead-letters t",
  "find",
  "find --all",
  "redrive t --yes",
  "redrive t --dry-run",
  "shift --target t --by 1d --yes",
  "cancel --label a=b --yes --detach",
  "reschedule --target t --in 1h --yes",
  "jobs list",
  "jobs show j",
  "jobs watch j",
  "jobs stop j",
  "jobs rate j 5",
  "schedule add s --target t --every 1h",
  "schedule update s hello",
  "schedule list",
  "schedule show s",
  "schedule runs s",
  "schedule pause s",
  "schedule skip s 2027-01-01T09:00:00Z",
  "schedule trigger s",
  "target remove t --cancel-messages --yes",
  "target add https://example.com",
  "target list",
  "target get t",
  "target stats",
  "target stats t",
  "target update t --rate none",
  "target rotate-secret t",
  "target test t",
  "signing-key list",
  "signing-key rotate",
  "stats",
  "forecast",
  "forecast --target t",
  "activity",
  "dead-letter-groups",
  "usage",
  "nodes",
  "audit",
  "audit --all-accounts",
];

// oxlint-disable-next-line no-control-regex -- the test checks that these are absent
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u;
/** Colours that the commands use themselves. */
// oxlint-disable-next-line no-control-regex -- a colour begins with it
const ownColours = /\u001b\[(?:[12]|22|3[1236]|39)m/gu;

test.each(commands)("on a terminal, an answer to %s controls nothing", async (line) => {
  const terminal = await connected(() => ({ json }), {}, 200);
  await terminal.run(...line.split(" "));
  const shown = (terminal.stdout.text + terminal.stderr.text).replaceAll(ownColours, "");
  expect(shown).not.toMatch(controls);
  // Payloads may have lines.
  if (line !== "payload m") expect(shown).not.toMatch(/^forged/m);
  expect(shown).not.toBe("");
});

const objectWithoutText = { toString: 1 };
const oddShapes: readonly [what: string, answer: unknown, status?: number][] = [
  ["an empty object", {}],
  ["an array", []],
  ["lists that are none", { items: "x", attempts: 1, payload: 1, attempt: null }],
  ["lists of nothing", { items: [null], attempts: [null], payload: null, attempt: 1 }],
  [
    "fields without a text",
    {
      ...Object.fromEntries(Object.keys(json).map((name) => [name, objectWithoutText])),
      items: [objectWithoutText],
      attempts: [objectWithoutText],
      nextPageToken: objectWithoutText,
    },
  ],
  ["errors that are none", { errors: "x" }, 400],
  ["an error that is nothing", { errors: [{ code: "x", message: "y" }, null] }, 400],
  ["an error without a text", { errors: [{ code: "x", message: objectWithoutText }] }, 400],
];

test.each(oddShapes)("%s fails each command with a sentence", async (...[, odd, status = 200]) => {
  const terminal = await connected(() => ({ status, json: odd }));
  const ended: unknown[] = [];
  for (const line of commands) {
    const code = await terminal.run(...line.split(" ")).catch(String);
    if (code !== exitCodes.unreachable) ended.push([line, code]);
  }
  expect(ended).toEqual([]);
});

test("what cannot be shown is there as JSON, and the failure says so", async () => {
  const terminal = await connected(() => ({ json: { keyId: "k", odd: true } }));
  expect(await terminal.run("get", "m")).toBe(exitCodes.unreachable);
  expect(terminal.stderr.text).toMatch(/^http:.* answered with something that .* --json .*\.\n$/);
  expect(await terminal.run("get", "m", "--json")).toBe(exitCodes.done);
  expect(JSON.parse(terminal.stdout.text)).toEqual({ keyId: "k", odd: true });
});
