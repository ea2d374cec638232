import { expect, test } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import { judge } from "../../history/judge.ts";
import { envWith } from "../../support/seeded-bug.ts";
import type { SeededBug } from "../../support/seeded-bug.ts";
import { deadNodesRun } from "./dead-nodes-run.ts";

const makeDatabase = preparedDatabases();

/** Long enough for a node to die between a change and its event. */
const apartMs = 500;

/** Bugs in what the nodes tell, and what the judge then says. */
const bugs: readonly [what: string, bug: SeededBug, found: RegExp][] = [
  [
    "the outbox counts as moved up to a number, so a late commit is skipped",
    {
      file: "src/storage/postgres/queries/events/move-events.ts",
      from: "WHERE outbox_id = ANY ($1::bigint[])",
      to: "WHERE outbox_id <= (SELECT max(moved) FROM unnest($1::bigint[]) AS moved)",
    },
    /^was changed \d+ times, and told of \d+ times$|^begins with /,
  ],
  [
    "changes are told in a transaction after their own",
    {
      file: "src/storage/postgres/connections/connections.ts",
      from: "result = await work(run);",
      to: `const told = [];
        result = await work(async (query) => {
          if (query.name !== "tell-changes") return run(query);
          told.push(query);
          return [];
        });
        if (told.length > 0) {
          await run({ name: "", text: "COMMIT" });
          await new Promise((resolve) => setTimeout(resolve, ${apartMs}));
          for (const query of told) await run(query);
          await run({ name: "", text: "BEGIN" });
        }`,
    },
    /^was changed \d+ times, and told of \d+ times$/,
  ],
  [
    "a stream goes on one event too late",
    {
      file: "src/operations/events/stream-events.ts",
      from: "readGivenBegin(lastEventId,",
      to: `readGivenBegin(
        Buffer.from(
          Buffer.from(lastEventId, "base64url").toString()
            .replace(/^1:(\\d+).*/, (_, position) => \`1:\${Number(position) + 1}\`),
        ).toString("base64url"),`,
    },
    /^the reader of .* by stream at .* behind \d+, where \d+ .* was due$/,
  ],
];

const times = { leaseMs: 3_000, lifeMs: 3_000, stillMs: 0 };

async function brokenPromises(env: Record<string, string>) {
  const { url } = await makeDatabase();
  const { violations } = judge(await deadNodesRun(url, { ...times, kills: 2, env }));
  return violations;
}

test("nodes without a bug tell everything while others die", async () => {
  expect(await brokenPromises({})).toEqual([]);
});

test.each(bugs)("it is noticed that %s", async (_, bug, found) => {
  const violations = await brokenPromises(envWith(bug));
  expect(violations.map(({ says }) => says)).toContainEqual(expect.stringMatching(found));
  // Nothing but what is told is wrong.
  expect(new Set(violations.map(({ promise }) => promise))).toEqual(new Set(["G22"]));
});
