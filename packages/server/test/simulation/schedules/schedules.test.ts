import { expect, test } from "vitest";
import type { Defect } from "../world/open-world.ts";
import { playScheduleWorld } from "./play-schedule-world.ts";
import { addedUp, describeScheduleTally, noScheduleWorlds } from "./tally.ts";

/** Seeds that once broke something, in the service or in the simulation. */
const regressions: readonly [seed: string, what: string][] = [
  ["a-24", "an edit forgot a run that was over the limit"],
  ["f-27", "an account that was suspended when the world ended"],
  ["74263362-schedules-13", "an edit while a run waits for its queue"],
  ["c1a478ea-54", "an edit of a paused schedule after the clock was set back before the pause"],
  ["e330abc8-354", "a schedule that was edited while paused, at a time before its pause"],
  ["7d8f561d-41", "a run that waited before an edit, and until the world ended"],
  [
    "56d841de-49",
    "an edit after the clock was set back went on with a run time of an earlier definition",
  ],
  ["df45ed54-45", "a caller who edited what an earlier change of its own had made of it meanwhile"],
  ["98020424-17", "a node that rested for a minute after it had stood still for a minute"],
  [
    "e0bebcfd-1093",
    "an edit that undid runs of an earlier definition, after the clock was set back",
  ],
  ["8a7ae964-525", "an edit that takes back one run and makes the last one that it allows"],
  ["f52ac6ff-43", "an edit that takes back a run whose attempt nobody could record"],
  ["f7f69722-5029", "an account that was resumed and suspended at the same instant"],
  ["b78e635e-167", "a run that met an earlier one, which ended after the clock was set back"],
  ["f677f548-2", "a run that was taken back after `maxRuns` was used up"],
];

/** The same, in worlds with backfills. */
const regressionsOfBackfills: readonly [seed: string, what: string][] = [
  ["9ca0418a-backfills-6", "a backfill of the run that a pause had skipped last"],
  ["71e3976b-backfills-17", "a run by hand after the one that a queue waits with"],
  ["4c090bef-199", "a run that was called off, after the clock was set back before it"],
  ["f55ec27f-160", "an edit before the time of its creation"],
  [
    "22bfdd4d-174",
    "a run that waited until an edit let it go, two milliseconds before the removal",
  ],
  ["6fb81524-5359", "a pause that came after its end, during an earlier pause"],
  ["18479603-backfills-4", "a backfill over the limit that replaced a run over the limit"],
  ["939d6e09-388", "runs that waited through two edits, of which the second allows no more"],
  [
    "c50ba0f8-319",
    "an edit after the clock was set back, and after another change, went on with a run time of an earlier definition",
  ],
  ["00918486-1246", "a run that came again after a backfill, as the clock was set back before it"],
  ["0e4df94a-137", "a skip that passed during a pause, after which the clock was set back"],
  ["ec54a79b-415", "a run made again by an edit, after the clock was set back"],
];

/** The same, in worlds with dead letters. */
const regressionsOfDeadLetters: readonly [seed: string, what: string][] = [
  [
    "81d62f25-419",
    "an edit before a run time of an earlier definition, after the clock was set back",
  ],
];

/** Always the same. Fresh ones are for `npm run simulate` and `npm run test:faults`: what they find takes a while. */
const worlds = 14;
const mostWorlds = 20;

test.each(regressions)("seed %s: %s", async (seed) => {
  expect((await playScheduleWorld(seed, { selfCheck: true })).problems).toEqual([]);
});

test.each(regressionsOfBackfills)("seed %s: %s", async (seed) => {
  const { problems } = await playScheduleWorld(seed, { selfCheck: true, backfills: true });
  expect(problems).toEqual([]);
});

test.each(regressionsOfDeadLetters)("seed %s: %s", async (seed) => {
  const { problems } = await playScheduleWorld(seed, { selfCheck: true, deadLetters: true });
  expect(problems).toEqual([]);
});

test("seeds schedules-0 onwards: the runs are those of the oracle", async () => {
  let seen = noScheduleWorlds;
  for (let number = 0; number < worlds; number++) {
    const seed = `schedules-${number}`;
    const { problems, tally } = await playScheduleWorld(seed, { selfCheck: true });
    if (problems.length > 0) expect.fail(`${seed}\n${problems.join("\n")}`);
    seen = addedUp(seen, tally);
  }
  process.stdout.write(`seeds schedules-*: ${describeScheduleTally(seen)}\n`);
  expect(seen.created).toBeGreaterThan(300);
  expect(seen.changes).toBeGreaterThan(50);
  expect(seen.skipped).toBeGreaterThan(0);
  expect(seen.takenBack).toBeGreaterThan(0);
  expect(seen.faults).toBeGreaterThan(0);
}, 600_000);

test("seeds backfills-0 onwards: what is made afterwards is made once", async () => {
  let seen = noScheduleWorlds;
  for (let number = 0; number < worlds; number++) {
    const seed = `backfills-${number}`;
    const { problems, tally } = await playScheduleWorld(seed, { selfCheck: true, backfills: true });
    if (problems.length > 0) expect.fail(`${seed}\n${problems.join("\n")}`);
    seen = addedUp(seen, tally);
  }
  process.stdout.write(`seeds backfills-*: ${describeScheduleTally(seen)}\n`);
  expect(seen.backfilled).toBeGreaterThan(10);
}, 600_000);

test("seeds dead-letters-0 onwards: schedules pause themselves when they should", async () => {
  let seen = noScheduleWorlds;
  for (let number = 0; number < worlds; number++) {
    const seed = `dead-letters-${number}`;
    const options = { selfCheck: true, deadLetters: true };
    const { problems, tally } = await playScheduleWorld(seed, options);
    if (problems.length > 0) expect.fail(`${seed}\n${problems.join("\n")}`);
    seen = addedUp(seen, tally);
  }
  process.stdout.write(`seeds dead-letters-*: ${describeScheduleTally(seen)}\n`);
  expect(seen.pausedThemselves).toBeGreaterThan(10);
}, 600_000);

test("a backfill that makes what is not decided yet is caught", { timeout: 300_000 }, async () => {
  const defects = new Set<Defect>(["backfill-before-the-cursor-comes"]);
  for (let number = 34; number < 34 + mostWorlds; number++) {
    const { problems } = await playScheduleWorld(`b-${number}`, { defects, backfills: true });
    if (problems.length === 0) continue;
    expect(problems.join("\n")).toMatch(/is CREATED already|goes on with/);
    expect((await playScheduleWorld(`b-${number}`, { backfills: true })).problems).toEqual([]);
    return;
  }
  expect.fail("it went unnoticed in every world");
});

/** Each bug, what shows it, and the seed at which the search starts. */
const bugs: readonly [Defect, shows: RegExp, from: number][] = [
  ["cursor-committed-apart", /is CREATED already, and now CREATED/, 37],
  ["catch-up-counts-the-pause", /was missed, and nothing had gone wrong|one too many/, 4],
  ["fold-fires-twice", /its definition does not name|goes on with/, 6],
  ["edit-loses-the-flex-window", /its message was taken back|is missing/, 26],
  ["edit-counts-again", /is charged for|was lost by an edit/, 0],
  ["resume-forgets-schedules", /is missing/, 70],
  ["older-data-computes", /its definition does not name|is missing/, 30],
];

test.each(bugs)("%s is caught", { timeout: 300_000 }, async (defect, shows, first) => {
  for (let number = first; number < first + mostWorlds; number++) {
    const seed = `d-${number}`;
    const { problems } = await playScheduleWorld(seed, { defects: new Set([defect]) });
    if (problems.length === 0) continue;
    expect(problems.join("\n")).toMatch(shows);
    expect((await playScheduleWorld(seed)).problems).toEqual([]);
    return;
  }
  expect.fail(`${defect} went unnoticed in every world`);
});

/** The same, in worlds with dead letters. */
const bugsOfDeadLetters: readonly [Defect, shows: RegExp, from: number][] = [
  ["dead-letters-in-order-of-ends", /paused itself after \d dead letters in a row, not/, 8],
  ["late-ends-not-seen", /is not paused after/, 8],
];

test.each(bugsOfDeadLetters)("%s is caught", { timeout: 300_000 }, async (defect, shows, first) => {
  for (let number = first; number < first + mostWorlds; number++) {
    const seed = `d-${number}`;
    const defects = new Set([defect]);
    const { problems } = await playScheduleWorld(seed, { defects, deadLetters: true });
    if (problems.length === 0) continue;
    expect(problems.join("\n")).toMatch(shows);
    expect((await playScheduleWorld(seed, { deadLetters: true })).problems).toEqual([]);
    return;
  }
  expect.fail(`${defect} went unnoticed in every world`);
});

test("a seed always gives the same run", async () => {
  const [one, other] = [await playScheduleWorld("again"), await playScheduleWorld("again")];
  expect(other).toEqual(one);
});
