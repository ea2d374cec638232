import type { BackfillPreview, Job } from "@postdate/client";
import { expect, test } from "vitest";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { Answer, Asked } from "../testing/answering-service.ts";
import { atSchedule, clock } from "../testing/schedule-service.ts";
import { typing } from "../testing/typing.ts";
import { doneJob, jobId, wireJob } from "../testing/wire-job.ts";
import { wireSchedule } from "../testing/wire-schedule.ts";

const sample = [1, 2, 3].map((hours) => new Date(clock.now() - hours * 3_600_000).toISOString());
const order: Partial<Job> = {
  ...{ action: "backfill", stopAfterFailures: null },
  filter: { targetId: "mail", scheduleId: "digest", minTime: sample[2]!, maxTime: sample[0]! },
};

/** Counts three run times, starts a job and shows how it has ended. */
function open(
  changes: Partial<Surroundings> = {},
  preview: Partial<BackfillPreview> = {},
  ended: Partial<Job> = {},
) {
  const answer = ({ method, path, body }: Asked): Answer | undefined => {
    const { dryRun } = Object(body) as { dryRun?: boolean };
    if (dryRun === true) return { json: { count: 3, exact: true, sample, ...preview } };
    if (path.endsWith("/backfill")) return { status: 202, json: wireJob(order) };
    if (method === "GET" && path.startsWith("/v1/jobs/")) {
      return { json: doneJob({ ...order, ...ended }) };
    }
    return undefined;
  };
  return atSchedule(wireSchedule(), answer, changes);
}

const place = "/v1/schedules/digest/backfill";

test("a backfill is shown, asked about, started, watched and shown again", async () => {
  const terminal = await open({ stdin: typing("y\n") });
  expect(await terminal.run("schedule", "backfill", "digest", "--from", "1d", "--rate", "5")).toBe(
    0,
  );
  expect(terminal.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /v1/schedules/digest",
    ...[`POST ${place}`, `POST ${place}`, `GET /v1/jobs/${jobId}`],
  ]);
  const given = { from: "2026-03-25T12:00:00.000Z", ratePerSecond: 5 };
  expect(terminal.asked.map(({ body }) => body)).toEqual([
    ...[undefined, { ...given, dryRun: true }, given, undefined],
  ]);
  expect(terminal.asked[2]!.headers["idempotency-key"]).toBeDefined();
  expect(terminal.stderr.text).toContain(
    [
      "3 run times have had no run.",
      "RUN TIME",
      "2026-03-26T11:00:00.000Z (1 h ago)",
      "2026-03-26T10:00:00.000Z (2 h ago)",
      "2026-03-26T09:00:00.000Z (3 h ago)",
      "Make these runs, due at once? [y/N] ",
    ].join("\n"),
  );
  expect(terminal.stdout.text).toMatch(/^Job +job_\w+\nState +DONE\n/);
  expect(terminal.stdout.text).toMatch(/\nDoes +make runs of times that are past\n/);
  expect(terminal.stdout.text).toMatch(/\nWhich +mail, schedule digest, from /);
  expect(terminal.stdout.text).toMatch(/\nMade +3\n/);
});

test("many are counted, and how long they take is said", async () => {
  const terminal = await open({ stdin: typing("n\n") }, { count: 500 });
  expect(await terminal.run("schedule", "backfill", "digest", "--from", "1d")).toBe(1);
  expect(terminal.stderr.text).toContain("500 run times have had no run.\n");
  expect(terminal.stderr.text).toContain("… and 497 more.\n");
  expect(terminal.stderr.text).toContain(
    "Make these runs, due at once, at most 50 a second (about 10 s)? [y/N] Nothing was changed.\n",
  );
  expect(terminal.asked.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("what was not counted to its end is at least so much", async () => {
  const terminal = await open({}, { count: 7, exact: false });
  expect(await terminal.run("schedule", "backfill", "digest", "--from", "1d", "--dry-run")).toBe(0);
  expect(terminal.stdout.text).toMatch(
    /^At least 7 run times have had no run\.\n[^]*… and more\.\n$/,
  );
});

test("a span is given with both ends, a note and a key", async () => {
  const terminal = await open();
  const line = [
    ...["--from", "2026-03-01T00:00:00Z", "--to", "2026-03-02T00:00:00Z"],
    ...["--note", "again", "--idempotency-key", "k", "--yes", "--json"],
  ];
  expect(await terminal.run("schedule", "backfill", "digest", ...line)).toBe(0);
  const given = { from: "2026-03-01T00:00:00Z", to: "2026-03-02T00:00:00Z", note: "again" };
  expect(terminal.asked[1]).toMatchObject({ body: given, headers: { "idempotency-key": "k" } });
  expect(JSON.parse(terminal.stdout.text)).toMatchObject({ action: "backfill", state: "DONE" });
});

const begins = "2026-03-26T00:00:00+01:00 (Europe/Berlin, 13 h ago)";

test.each([
  [
    wireSchedule(),
    "2026-03-26 0:00",
    `There is no run to make: each run time of digest in between has had its run, or is still to be decided. \`postdate schedule runs digest\` shows what became of them.`,
  ],
  [
    wireSchedule({ cron: ["0 18 * * *"] }),
    "2026-03-26 0:00",
    `There is no run to make: digest has no run time in between. The next is 2026-03-26T18:00:00+01:00 (Europe/Berlin, in 5 h).`,
  ],
  [
    wireSchedule({ cron: null, at: ["2026-03-25T09:00"] }),
    "2026-03-26 0:00",
    `There is no run to make: digest has no run time in between. None comes later.`,
  ],
  [
    wireSchedule({ cron: null, everyMs: 3_600_000 }),
    "2026-03-26 0:00",
    `There is no run to make: digest has no run time in between. The next is 2026-03-26T14:00:00+01:00 (Europe/Berlin, in 1 h). Its interval counts from its creation, 2026-03-26T13:00:00+01:00 (Europe/Berlin, now).`,
  ],
])(
  "without a run time that is left, it says why, and nothing is started",
  async (schedule, from, why) => {
    const nothing = { json: { count: 0, exact: true, sample: [] } };
    const errors = [{ code: "E-DI-6003", message: "at has no occurrence.", field: "at" }];
    const never = { status: 400, json: { errors } };
    const open = () =>
      atSchedule(schedule, ({ path }) => {
        if (path.endsWith("/backfill")) return nothing;
        return path.endsWith("/preview") && schedule.at !== null ? never : undefined;
      });
    const started = await open();
    expect(await started.run("schedule", "backfill", "digest", "--from", from)).toBe(0);
    expect(started.stderr.text).toBe(`From ${begins}.\n${why} Nothing was started.\n`);
    expect(started.asked.filter(({ path }) => path === place)).toHaveLength(1);
    const looked = await open();
    expect(await looked.run("schedule", "backfill", "digest", "--from", from, "--dry-run")).toBe(0);
    expect(looked.stdout.text).toBe(`${why}\n`);
  },
);

test("with --json nothing is said about an empty preview", async () => {
  const terminal = await open({}, { count: 0, sample: [] });
  const from = "2026-03-26T00:00:00Z";
  expect(await terminal.run("schedule", "backfill", "digest", "--from", from, "--json")).toBe(0);
  expect(JSON.parse(terminal.stdout.text)).toEqual({ count: 0, exact: true, sample: [] });
  expect(terminal.stderr.text).toBe("");
  expect(terminal.asked).toHaveLength(1);
});

test("if not everything was looked at, it says how to ask for less", async () => {
  const terminal = await open({}, { count: 0, exact: false, sample: [] });
  expect(await terminal.run("schedule", "backfill", "digest", "--from", "1d", "--dry-run")).toBe(0);
  expect(terminal.stdout.text).toMatch(/not all run times were looked at: give a later --from/);
});

const inTokyo = { timeZone: "Asia/Tokyo" };
const span = ["--from", "yesterday 9:00", "--to", "2026-03-26 8:00", "--dry-run"];

test("times without an offset are on the clocks of the schedule, and it says so", async () => {
  const terminal = await open(inTokyo);
  expect(await terminal.run("schedule", "backfill", "digest", ...span)).toBe(0);
  expect(terminal.asked.at(-1)!.body).toMatchObject({
    ...{ from: "2026-03-25T08:00:00.000Z", to: "2026-03-26T07:00:00.000Z" },
  });
  expect(terminal.stderr.text).toBe(
    "From 2026-03-25T09:00:00+01:00 (Europe/Berlin, 1 d 4 h ago) to 2026-03-26T08:00:00+01:00 (Europe/Berlin, 5 h ago).\n",
  );
});

test("--zone reads them on other clocks, and nobody is asked for the schedule's", async () => {
  const terminal = await open(inTokyo);
  const zone = ["--zone", "America/New_York"];
  expect(await terminal.run("schedule", "backfill", "digest", ...span, ...zone)).toBe(0);
  expect(terminal.asked.map(({ method }) => method)).toEqual(["POST"]);
  expect(terminal.asked[0]!.body).toMatchObject({ from: "2026-03-25T13:00:00.000Z" });
  expect(terminal.stderr.text).toContain("09:00:00-04:00 (America/New_York");
});

test("whether one end is after the other depends on the schedule's clocks alone", async () => {
  const schedule = wireSchedule({ timeZone: "Asia/Tokyo" });
  const none = { json: { count: 3, exact: true, sample } };
  const terminal = await atSchedule(schedule, ({ path }) =>
    path.endsWith("/backfill") ? none : undefined,
  );
  // In Tokyo it is 21:00. On most other clocks this has not come yet.
  const line = ["--from", "2026-03-26 20:00", "--to", "now", "--dry-run"];
  expect(await terminal.run("schedule", "backfill", "digest", ...line)).toBe(0);
  expect(terminal.asked.at(-1)!.body).toMatchObject({ from: "2026-03-26T11:00:00.000Z" });
});

test("a refusal names the options", async () => {
  const message = "from must not be later than to, nor in the future.";
  const errors = [{ code: "E-DI-1001", message, field: "from" }];
  const terminal = await atSchedule(wireSchedule(), ({ path }) =>
    path.endsWith("/backfill") ? { status: 400, json: { errors } } : undefined,
  );
  expect(await terminal.run("schedule", "backfill", "digest", "--from", "tomorrow 9:00")).toBe(1);
  expect(terminal.stderr.text).toContain(
    "E-DI-1001: --from must not be later than --to, nor in the future.\n",
  );
});

test("a schedule that was removed meanwhile is a failure", async () => {
  const ended = { state: "FAILED", stopReason: "SCHEDULE_REMOVED" } as const;
  const terminal = await open({}, {}, ended);
  expect(await terminal.run("schedule", "backfill", "digest", "--from", "1d", "--yes")).toBe(1);
  expect(terminal.stderr.text).toContain("somebody has removed digest meanwhile");
  expect(terminal.stdout.text).toMatch(/\nReason +its schedule was removed\n/);
});

test.each<[string, RegExp]>([
  ["", /say from when on, with --from, such as --from 7d/],
  ["--from 1h --to 2h", /--from .* is after --to/],
  ["--from soon", /--from is not a time/],
  ["--from 1d --rate 0", /--rate must be messages a second/],
  ["--from 1d --max 5", /unknown option/],
])("%j is wrong usage, and nothing is counted or started", async (line, said) => {
  const terminal = await open();
  const words = line.split(" ").filter(Boolean);
  expect(await terminal.run("schedule", "backfill", "digest", ...words)).toBe(2);
  expect(terminal.stderr.text).toMatch(said);
  expect(terminal.asked.filter(({ method }) => method !== "GET")).toEqual([]);
});
