import { expect, test } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import { judge } from "../history/judge.ts";
import type { Promised } from "../history/violation.ts";
import { hostileRun } from "../hostile-timing/hostile-run.ts";
import type { PlanOptions } from "../hostile-timing/plan.ts";
import { expectPlayed } from "../hostile-timing/play.ts";
import { envWith } from "../support/seeded-bug.ts";
import type { SeededBug } from "../support/seeded-bug.ts";

const makeDatabase = preparedDatabases();

interface OldBug {
  readonly changes: readonly SeededBug[];
  readonly run: Omit<PlanOptions, "seed">;
  /** Each has noticed the bug, though not every time: a seed does not decide the interleaving. */
  readonly seeds: readonly string[];
  /** The judge says that one of these is broken. */
  readonly promises: readonly Promised[];
}

const waitingChanges = "src/storage/postgres/queries/waiting-changes.ts";

/** Bugs that the nodes once had, in today's source. */
const bugs: readonly [what: string, bug: OldBug][] = [
  [
    "waiting changes are read without a lock, and an answer that updates nothing goes unnoticed",
    {
      changes: [
        { file: waitingChanges, from: "AND answer IS NULL FOR UPDATE", to: "AND answer IS NULL" },
        { file: waitingChanges, from: "if (answered.length !== answers.length)", to: "if (false)" },
      ],
      run: { flavours: ["answers-at-the-bound"], nodes: 2, forMs: 8_000 },
      seeds: ["a2", "a3", "a4", "a5"],
      promises: ["G18"],
    },
  ],
  [
    "a late record of attempts frees claims whatever their version",
    {
      changes: [
        {
          file: "src/storage/postgres/queries/record-attempts.ts",
          from: "m.message_id = g.message_id AND m.version = g.version",
          to: "m.message_id = g.message_id",
        },
      ],
      run: { flavours: ["late-statements"], nodes: 2, forMs: 14_000 },
      seeds: ["b8", "b11", "b3", "b4"],
      promises: ["G5"],
    },
  ],
  [
    "sessions have no bounds for locks and idle transactions",
    {
      changes: [
        {
          file: "src/storage/postgres/connections/session-settings.ts",
          from: "...(deadlineMs === 0 ? [] : bounds)",
          to: "",
        },
      ],
      run: { flavours: ["vanishing-hosts"], nodes: 3, forMs: 5_000 },
      seeds: ["v3", "v10", "v15", "v4"],
      promises: ["G3", "G7"],
    },
  ],
];

/** The first seed whose run, with the bug in its nodes, breaks one of the promises. */
async function seedThatNotices({ changes, run, seeds, promises }: OldBug): Promise<string> {
  const told: string[] = [];
  for (const seed of seeds) {
    const { url } = await makeDatabase();
    const { history } = await hostileRun(url, { ...run, seed, env: envWith(...changes) });
    const broken = new Set(judge(history).violations.map(({ promise }) => promise));
    if (promises.some((promise) => broken.has(promise))) return seed;
    told.push(`${seed}: ${[...broken].join(", ") || "clean"}`);
  }
  throw new Error(`No seed noticed it. ${told.join("; ")}`);
}

test.each(bugs)(
  "it is noticed that %s",
  async (_, bug) => {
    const seed = await seedThatNotices(bug);
    // Without the bug, the same seed finds nothing.
    const { url } = await makeDatabase();
    expect(await expectPlayed(url, { ...bug.run, seed })).toContain("clean");
  },
  600_000,
);
