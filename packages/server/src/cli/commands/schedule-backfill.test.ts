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
    ...[`POST ${place}`, `POST ${place}`, `GET /v1/jobs/${jobId}`],
  ]);
  const given = { from: "2026-03-25T12:00:00.000Z", ratePerSecond: 5 };
  expect(terminal.asked.map(({ body }) => body)).toEqual([
    ...[{ ...given, dryRun: true }, given, undefined],
  ]);
  expect(terminal.asked[1]!.headers["idempotency-key"]).toBeDefined();
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
  expect(terminal.asked).toHaveLength(1);
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

test("without a run time that is left, nothing is started", async () => {
  const terminal = await open({}, { count: 0, sample: [] });
  expect(await terminal.run("schedule", "backfill", "digest", "--from", "1d")).toBe(0);
  expect(terminal.stderr.text).toContain(
    "There is no run to make: none was due in between, or each has had its run. Nothing was started.\n",
  );
  expect(terminal.asked).toHaveLength(1);
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
])("%j is wrong usage, and nothing is asked", async (line, said) => {
  const terminal = await open();
  const words = line.split(" ").filter(Boolean);
  expect(await terminal.run("schedule", "backfill", "digest", ...words)).toBe(2);
  expect(terminal.stderr.text).toMatch(said);
  expect(terminal.asked).toEqual([]);
});
