import type { EventEndpoint, ReadEvent } from "@postdate/client";
import { expect, test } from "vitest";
import type { Asked, Answer } from "../testing/answering-service.ts";
import { connected } from "../testing/connected-terminal.ts";
import { messageId, wireAttempt, wireMessage, wireTarget } from "../testing/samples.ts";

const now = Date.UTC(2026, 10, 14, 9, 30);
const surroundings = { clock: { now: () => now, monotonic: () => 0 } };

const webhook = (changes: Partial<EventEndpoint> = {}): EventEndpoint => ({
  endpointId: "alarms",
  kind: "webhook",
  types: ["message.dead_lettered"],
  targetIds: null,
  labels: { order: "17" },
  url: "https://example.com/alarms",
  headers: { authorization: "set" },
  maxBatch: 1,
  paused: false,
  disabledTime: null,
  creationTime: "2026-11-14T09:00:00.000Z",
  updateTime: "2026-11-14T09:00:00.000Z",
  revision: 1,
  progress: {
    position: "p7",
    behind: 1_200,
    failures: 3,
    retryTime: "2026-11-14T09:31:00.000Z",
    lastError: "the receiver answered 500\u001B[2J",
    lastSuccessTime: null,
  },
  ...changes,
});

function event(changes: Partial<ReadEvent> = {}): ReadEvent {
  return {
    specversion: "1.0",
    id: "evt_1",
    source: "/accounts/acc_default",
    type: "postdate.message.attempt_failed.v1",
    subject: `messages/${messageId}`,
    time: "2026-11-14T09:30:00.000Z",
    datacontenttype: "application/json",
    data: {
      message: wireMessage({ nextDeliveryTime: "2026-11-14T09:30:05.000Z" }),
      attempt: wireAttempt({ outcome: "BAD_STATUS", error: "It answered 500.\u001B[31m" }),
    },
    position: "p1",
    ...changes,
  };
}

const streamOf = (...events: readonly ReadEvent[]): Answer => ({
  headers: { "content-type": "text/event-stream" },
  text: events
    .map(({ position, ...told }) => `id: ${position}\ndata: ${JSON.stringify(told)}\n\n`)
    .join(""),
});

const gone: Answer = {
  status: 404,
  json: { errors: [{ code: "E-DI-8001", message: "No event endpoint." }] },
};

test.each([
  [
    ["add", "--webhook", "https://example.com/a", "--type", "message.dead_lettered,target.*"],
    "POST /v1/event-endpoints",
    { kind: "webhook", url: "https://example.com/a", types: ["message.dead_lettered", "target.*"] },
  ],
  [
    ["add", "--type", "job.ended, postdate.message.delivered.v1 ,job.ended", "--target", "a, b"],
    "POST /v1/event-endpoints",
    { kind: "stream", types: ["job.ended", "message.delivered"], targetIds: ["a", "b"] },
  ],
  [
    ["add", "--type", "*"],
    "POST /v1/event-endpoints",
    { kind: "stream", types: ["message.*", "target.*", "schedule.*", "job.*", "endpoint.*"] },
  ],
  [
    ["add", "--id", "feed", "--target", "billing", "--label", "order=17"],
    "POST /v1/event-endpoints",
    { kind: "stream", endpointId: "feed", targetIds: ["billing"], labels: { order: "17" } },
  ],
  [
    ["update", "alarms", "--usual-types", "--no-headers", "--max-batch", "50"],
    "PATCH /v1/event-endpoints/alarms",
    { types: null, headers: null, maxBatch: 50 },
  ],
  [["pause", "alarms"], "POST /v1/event-endpoints/alarms/pause", undefined],
  [["resume", "alarms"], "POST /v1/event-endpoints/alarms/resume", undefined],
  [["get", "alarms"], "GET /v1/event-endpoints/alarms", undefined],
  [["remove", "alarms"], "DELETE /v1/event-endpoints/alarms", undefined],
  [
    ["rotate-secret", "alarms", "--overlap", "1h"],
    "POST /v1/event-endpoints/alarms/rotate-secret",
    { overlapMs: 3_600_000 },
  ],
  [
    ["rewind", "alarms", "1h"],
    "POST /v1/event-endpoints/alarms/rewind",
    { to: "2026-11-14T08:30:00.000Z" },
  ],
  [
    ["rewind", "alarms", "now", "--skip"],
    "POST /v1/event-endpoints/alarms/rewind",
    { to: "2026-11-14T09:30:00.000Z", skip: true },
  ],
])("events %j", async (argv, request, body) => {
  const terminal = await connected(() => ({ json: webhook() }), surroundings);
  expect(await terminal.run("events", ...argv)).toBe(0);
  const [asked] = terminal.asked;
  expect(`${asked!.method} ${asked!.path}`).toBe(request);
  expect(asked!.body).toEqual(body);
});

test.each([
  ["message.dead_letterd", "Did you mean message.dead_lettered?"],
  ["Message.Delivered", "Did you mean message.delivered?"],
  ["message", "Did you mean message.*?"],
  ["message.dead*", "Did you mean message.dead_lettered?"],
  [".", "Give a type such as message.dead_lettered"],
  ["dead_lettered", "Did you mean message.dead_lettered?"],
  ["target.re", "Did you mean target.resumed or target.removed or target.recovered?"],
  ["postdate.message.lost.v1", "Give a type such as message.dead_lettered"],
  ["nothing like it", "Give a type such as message.dead_lettered"],
])("--type %s is refused in a few words", async (type, hint) => {
  const terminal = await connected(() => ({ json: webhook() }), surroundings);
  expect(await terminal.run("tail", "--type", `job.*,${type}`)).toBe(2);
  expect(terminal.stderr.text).toMatch(/^--type ".*" is no type of event\. [^[\]]*\n$/);
  expect(terminal.stderr.text).toContain(`"${type}"`);
  expect(terminal.stderr.text).toContain(hint);
  expect(terminal.asked).toEqual([]);
});

test("an endpoint is shown with how far it is, and without what a terminal would obey", async () => {
  const terminal = await connected(() => ({ json: webhook() }), surroundings);
  expect(await terminal.run("events", "get", "alarms")).toBe(0);
  const { text } = terminal.stdout;
  for (const part of [
    "failing",
    "message.dead_lettered",
    "order=17",
    "authorization",
    "1,200 events of the account",
    "3 in a row",
    "the receiver answered 500\\u001b[2J",
  ]) {
    expect(text).toContain(part);
  }
  expect(text).not.toContain("\u001B");
});

test("a missing endpoint is an error that says what to do", async () => {
  const terminal = await connected(() => gone, surroundings);
  expect(await terminal.run("events", "pause", "alarm")).toBe(4);
  expect(terminal.stderr.text).toContain("There is no event endpoint alarm.");
  expect(terminal.stderr.text).toContain("postdate events list");
});

test("an unknown endpoint is answered with similar ids", async () => {
  const terminal = await connected(
    ({ path }) =>
      path.includes("?") || path.endsWith("endpoints") ? { json: { items: [webhook()] } } : gone,
    surroundings,
  );
  for (const argv of [
    ["events", "get", "alarm"],
    ["events", "test", "alarm"],
    ["tail", "alarm"],
  ]) {
    expect(await terminal.run(...argv)).toBe(4);
  }
  const sentence = "There is no event endpoint alarm. Did you mean alarms?\n";
  expect(terminal.stderr.text).toBe(sentence.repeat(3));
});

test("adding one endpoint too many, or one that exists, is answered with commands", async () => {
  const refusal = (code: string) => ({
    ...{ status: 409, json: { errors: [{ code, message: "Change it with PATCH." }] } },
  });
  const full = await connected(() => refusal("E-DI-8004"), surroundings);
  expect(await full.run("events", "add")).toBe(1);
  expect(full.stderr.text).toContain("`postdate events remove <endpointId>` removes one.");
  const taken = await connected(() => refusal("E-DI-8005"), surroundings);
  expect(await taken.run("events", "add", "--id", "feed")).toBe(1);
  expect(taken.stderr.text).toBe(
    "The event endpoint feed exists already. `postdate events update feed` changes it; or choose another --id.\n",
  );
});

test("one event is one event", async () => {
  const progress = { ...webhook().progress!, behind: 1 };
  const terminal = await connected(() => ({ json: webhook({ progress }) }), surroundings);
  expect(await terminal.run("events", "get", "alarms")).toBe(0);
  expect(terminal.stdout.text).toContain("at most 1 event\n");
  expect(terminal.stdout.text).toContain("1 event of the account\n");
});

test("a rewind that would leave events out names the option that allows it", async () => {
  const message =
    "to is ahead of where the event endpoint is: 3 events that it has not been sent would be left out. Give an earlier time, or skip: true to leave them out.";
  const refusal = { status: 400, json: { errors: [{ code: "E-DI-1001", message, field: "to" }] } };
  const terminal = await connected(() => refusal, surroundings);
  expect(await terminal.run("events", "rewind", "alarms", "now")).toBe(1);
  expect(terminal.stderr.text).toBe(
    "E-DI-1001: The time is ahead of where the event endpoint is: 3 events that it has not been sent would be left out. Give an earlier time, or --skip to leave them out.\n",
  );
});

test("a test that was not taken fails", async () => {
  const attempt = wireAttempt({ outcome: "TIMEOUT", error: "No answer within 15 s." });
  const json = { endpointId: "alarms", eventId: "evt_1", attempt };
  const terminal = await connected(() => ({ json }), surroundings);
  expect(await terminal.run("events", "test", "alarms")).toBe(1);
  expect(terminal.stderr.text).toContain("Not taken: No answer within 15 s.");
});

test.each([
  ["paused", { paused: true }],
  ["disabled", { disabledTime: "2026-11-14T09:00:00.000Z" }],
])("get and test of a webhook that is %s say how it is sent events again", async (word, state) => {
  const test = { endpointId: "alarms", eventId: "evt_1", attempt: wireAttempt() };
  const terminal = await connected(
    ({ path }) => ({ json: path.endsWith("/test") ? test : webhook(state) }),
    surroundings,
  );
  expect(await terminal.run("events", "get", "alarms")).toBe(0);
  expect(terminal.stdout.text).toMatch(/To send again +postdate events resume alarms\n/);
  await terminal.run("events", "test", "alarms", "--json");
  expect(terminal.stderr.text).toContain(
    `alarms is ${word}, and gets only tests: \`postdate events resume alarms\` sends it events again.\n`,
  );
});

test.each([
  [["events", "add", "--max-batch", "5"], "give --webhook"],
  [["events", "update", "alarms"], "say what to change"],
  [["tail", "feed", "--type", "message.*"], "the endpoint says which events"],
  [["tail", "--from", "oldest"], "name one"],
])("%j says what is wrong", async (argv, text) => {
  const terminal = await connected(() => ({ json: webhook() }), surroundings);
  expect(await terminal.run(...argv)).toBe(2);
  expect(terminal.stderr.text).toContain(text);
  expect(terminal.asked).toEqual([]);
});

/** It knows one target. */
function serviceWithTarget(targetId: string): (asked: Asked) => Answer {
  const stream = serviceWith(streamOf(event()));
  const missing = { status: 404, json: { errors: [{ code: "E-DI-3004", message: "None." }] } };
  return (asked) => {
    if (asked.path.startsWith("/v1/targets?")) return { json: { items: [{ targetId }] } };
    if (asked.path === `/v1/targets/${targetId}`) return { json: { targetId } };
    return asked.path.startsWith("/v1/targets/") ? missing : stream(asked);
  };
}

const unknownTarget =
  "There is no target biling: its events come once it is made. Did you mean billing?\n";

test.each([
  ["add", "--id", "feed"],
  ["update", "alarms"],
])("events %s warns of a target that does not exist", async (...argv) => {
  const terminal = await connected(serviceWithTarget("billing"), surroundings);
  expect(await terminal.run("events", ...argv, "--target", "biling,billing", "--json")).toBe(0);
  expect(terminal.stderr.text).toBe(unknownTarget);
  JSON.parse(terminal.stdout.text);
});

test("a key that may not read targets is told nothing of them", async () => {
  const json = { errors: [{ code: "E-DI-2002", message: "Not allowed." }] };
  const service = serviceWith(streamOf());
  const terminal = await connected(
    (asked) => (asked.path.startsWith("/v1/targets") ? { status: 403, json } : service(asked)),
    surroundings,
  );
  expect(await terminal.run("events", "update", "alarms", "--target", "biling")).toBe(0);
  expect(terminal.stderr.text).toBe("");
});

test("tail warns of a target that does not exist, and goes on", async () => {
  const terminal = await connected(serviceWithTarget("billing"), surroundings);
  const code = terminal.run("tail", "--target", "biling");
  await terminal.stdout.shows(/attempt_failed/);
  terminal.signal("SIGINT");
  expect(await code).toBe(0);
  expect(terminal.stderr.text).toContain(unknownTarget);
});

/** The first stream has this, and the next ones stay silent until their caller leaves. */
function serviceWith(first: Answer): (asked: Asked) => Answer {
  let streams = 0;
  return ({ method, path }) => {
    if (path.includes("/stream")) return ++streams === 1 ? first : { ...first, text: "" };
    if (method === "POST") return { json: webhook({ kind: "stream" }) };
    return { json: webhook() };
  };
}

test("tail makes an endpoint, shows a line for each event, and removes the endpoint", async () => {
  const dead = event({
    type: "postdate.message.dead_lettered.v1",
    data: { message: wireMessage({ deadLetterReason: "ATTEMPTS_EXHAUSTED", key: "a\u001B[1mb" }) },
  });
  const terminal = await connected(serviceWith(streamOf(event(), dead)), surroundings);
  const code = terminal.run("tail", "--target", "billing");
  const text = await terminal.stdout.shows(/dead_lettered/);
  terminal.signal("SIGINT");
  expect(await code).toBe(0);
  const [failed, ended] = text.split("\n");
  expect(failed).toContain(`message.attempt_failed  ${messageId}  to billing  due in 5 s`);
  expect(failed).toContain("attempt 1: It answered 500.\\u001b[31m");
  expect(ended).toContain("no attempt was left");
  expect(text).not.toContain("\u001B");
  expect(terminal.asked[0]).toMatchObject({
    method: "POST",
    body: { kind: "stream", targetIds: ["billing"] },
  });
  expectOwnRemoved(terminal.asked);
});

test("tail says of an old event when the message was due then", async () => {
  const old = event({ time: "2026-11-13T09:30:00.000Z" });
  const message = wireMessage({ nextDeliveryTime: "2026-11-13T09:30:05.000Z" });
  const told = { ...old, data: { message } };
  const terminal = await connected(serviceWith(streamOf(told)), surroundings);
  const code = terminal.run("tail", "feed", "--from", "oldest");
  const text = await terminal.stdout.shows(/\n/);
  terminal.signal("SIGINT");
  expect(await code).toBe(0);
  expect(text).toMatch(/^2026-11-13T09:30:00\.000Z .* due in 5 s\n$/);
});

/** The endpoint that the command made has an id that shows where it is from, and is gone. */
function expectOwnRemoved(asked: readonly Asked[]): void {
  const { endpointId } = asked[0]!.body as { endpointId: string };
  expect(endpointId).toMatch(/^tail_[0-9a-f]{16}$/);
  expect(asked.at(-1)).toMatchObject({
    method: "DELETE",
    path: `/v1/event-endpoints/${endpointId}`,
  });
}

test("tail ends, and removes its endpoint, if what comes is no event", async () => {
  const html = { ...streamOf(), text: "id: p1\ndata: <b>\u001B[2J</b>\n\n" };
  const terminal = await connected(serviceWith(html), surroundings);
  expect(await terminal.run("tail")).toBe(3);
  expect(terminal.stderr.text).toContain("with something that is not from Postdate");
  expect(terminal.stderr.text).not.toContain("\u001B");
  expectOwnRemoved(terminal.asked);
});

test("tail says when the connection is there again", async () => {
  const terminal = await connected(serviceWith(streamOf(event())), surroundings);
  const code = terminal.run("tail");
  const text = await terminal.stderr.shows(/Connected again\.\n/);
  terminal.signal("SIGINT");
  expect(await code).toBe(0);
  expect(text).toMatch(
    /^Waiting for events as tail_[0-9a-f]{16}; .*\nThe connection broke; connecting again\.\nConnected again\.\n/,
  );
});

test.each([
  [
    { schedule: { scheduleId: "s", targetId: "t", pauseReason: "DEAD_LETTERS" } },
    "to t  paused: too many dead letters in a row",
  ],
  [
    { run: { runTime: "2026-11-14T09:00:00.000Z", reason: "OVERLAP", messageId: null } },
    "2026-11-14T09:00:00.000Z  the message before was still scheduled",
  ],
  [
    { job: { action: "redrive", state: "PAUSED", done: 3, matched: 7, stopReason: "FAILURES" } },
    "redrive paused, 3 of 7  too many messages failed again in a row",
  ],
  [
    { attempt: wireAttempt({ outcome: "CONNECTION_FAILED", error: null }) },
    "attempt 1: connection failed",
  ],
])("tail words %j", async (data, words) => {
  const told = event({ data: data as ReadEvent["data"] });
  const terminal = await connected(serviceWith(streamOf(told)), surroundings);
  const code = terminal.run("tail", "feed", "--from", "oldest");
  const text = await terminal.stdout.shows(/\n/);
  terminal.signal("SIGINT");
  expect(await code).toBe(0);
  expect(text.trimEnd().endsWith(`  ${words}`), text).toBe(true);
});

test("tail removes its endpoint when nobody reads it any more", async () => {
  const terminal = await connected(serviceWith(streamOf(event())), surroundings);
  const code = terminal.run("tail");
  await terminal.stdout.shows(/attempt_failed/);
  terminal.closeOutput();
  expect(await code).toBe(0);
  expectOwnRemoved(terminal.asked);
});

test("tail removes its endpoint when the disk of its file is full, and fails", async () => {
  const terminal = await connected(serviceWith(streamOf(event())), surroundings);
  const code = terminal.run("tail");
  await terminal.stdout.shows(/attempt_failed/);
  terminal.closeOutput(Object.assign(new Error("ENOSPC: no space"), { code: "ENOSPC" }));
  expect(await code).toBe(1);
  expect(terminal.stderr.text).toContain("Cannot write the output: the disk is full.\n");
  expectOwnRemoved(terminal.asked);
});

test("tail removes its endpoint also if the answer to its creation was lost", async () => {
  const lost = { text: "<html>Gateway</html>" };
  const terminal = await connected(() => lost, surroundings);
  expect(await terminal.run("tail")).toBe(3);
  expectOwnRemoved(terminal.asked);
});

test("tail says what to do if there are too many endpoints, or if its own may be left", async () => {
  const problem = { code: "E-DI-8004", message: "An account has at most 10 event endpoints." };
  const full = await connected(() => ({ status: 409, json: { errors: [problem] } }), surroundings);
  expect(await full.run("tail")).toBe(1);
  expect(full.stderr.text).toContain("Ids that begin with tail_ are of a `postdate tail`");
  expect(full.asked).toHaveLength(1);

  const away = await connected(serviceWith(streamOf(event())), surroundings);
  const code = away.run("tail");
  await away.stdout.shows(/attempt_failed/);
  await away.closeService();
  away.signal("SIGINT");
  expect(await code).toBe(0);
  const { endpointId } = away.asked[0]!.body as { endpointId: string };
  expect(away.stderr.text).toContain(`\`postdate events remove ${endpointId}\` removes it`);
});

test("tail says to a key that only reads what it may show", async () => {
  const problem = { code: "E-DI-2002", message: "This needs scheduler.all.readwrite." };
  const terminal = await connected(
    () => ({ status: 403, json: { errors: [problem] } }),
    surroundings,
  );
  expect(await terminal.run("tail")).toBe(1);
  expect(terminal.stderr.text).toContain("`postdate tail <endpointId>` shows one that exists");
  expect(terminal.asked).toHaveLength(1);
});

test("tail of an endpoint goes on where it is told to, as JSON, and leaves the endpoint alone", async () => {
  const terminal = await connected(serviceWith(streamOf(event())), surroundings);
  const code = terminal.run("tail", "feed", "--from", "p0", "--json");
  const text = await terminal.stdout.shows(/\n/);
  terminal.signal("SIGTERM");
  expect(await code).toBe(0);
  expect(JSON.parse(text)).toEqual(event());
  expect(terminal.asked[0]?.path).toBe("/v1/event-endpoints/feed/stream?from=p0");
  expect(terminal.asked.some(({ method }) => method === "DELETE")).toBe(false);
});

test("tail of a missing endpoint fails", async () => {
  const terminal = await connected(() => gone, surroundings);
  expect(await terminal.run("tail", "feed")).toBe(4);
  expect(terminal.stderr.text).toContain("There is no event endpoint feed.");
});

const again =
  " If you gave the current secret again, the overlap stays as it is, or becomes longer.";
test.each([
  [[], "The old secret also signs until 2026-11-15T09:30:00.000Z (in 1 d)."],
  [
    ["--overlap", "90m"],
    "The old secret also signs until 2026-11-14T11:00:00.000Z (in 1 h 30 min).",
  ],
  [["--overlap", "0s"], "The old secret no longer signs."],
  [["--overlap", "0s", "--secret", "whsec_x"], `The old secret no longer signs.${again}`],
])("a rotation with %j says how long the old secret signs", async (argv, said) => {
  for (const [group, answer] of [
    ["events", webhook()],
    ["target", wireTarget()],
  ] as const) {
    const terminal = await connected(() => ({ json: { ...answer, secret: "s" } }), surroundings);
    expect(await terminal.run(group, "rotate-secret", "alarms", ...argv)).toBe(0);
    expect(terminal.stderr.text).toBe(`${said}\nThe secret is not shown again: keep it now.\n`);
  }
});

test("header values that a new address needs again are asked for by their options", async () => {
  const message =
    "Give the header values again with the new URL, or {} for none. The present values were given for another scheme, host or port, and are not sent elsewhere.";
  const errors = [{ code: "E-DI-1001", message, field: "headers" }];
  for (const [argv, answer] of [
    [["events", "update", "alarms", "--webhook", "https://b.example"], webhook()],
    [["target", "update", "billing", "https://b.example"], wireTarget()],
  ] as const) {
    const terminal = await connected(({ method }) =>
      method === "PATCH" ? { status: 400, json: { errors } } : { json: answer },
    );
    expect(await terminal.run(...argv)).toBe(1);
    expect(terminal.stderr.text).toBe(
      "E-DI-1001: Give the header values again with --header, or give --no-headers for none. The present values were given for another scheme, host or port, and are not sent elsewhere.\n",
    );
    expect(await terminal.run(...argv, "--json")).toBe(1);
    expect(terminal.stderr.text).toContain(JSON.stringify(message));
  }
});
