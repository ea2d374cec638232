import { expect, test } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import { expectKept } from "../../history/expect-kept.ts";
import type { ChangeAsked, History } from "../../history/history.ts";
import { startCluster } from "../../support/cluster.ts";
import { startClusterOfOne } from "../../support/cluster-of-one.ts";
import { raceRun } from "./race-run.ts";

const makeDatabase = preparedDatabases();
const args = ["--log-level", "warn"];
const options = { races: 3_000, racers: 64 };

test("three thousand cancels and reschedules at the instant of delivery: each is decided one way", async () => {
  await using cluster = await startClusterOfOne(args);
  expectDecided(await raceRun(cluster, options));
});

test("the same with three nodes on PostgreSQL, each call at another node", async () => {
  const database = await makeDatabase();
  await using cluster = await startCluster(database.url, 3, { nodeLease: "10s", args });
  expectDecided(await raceRun(cluster, options));
});

/** The judge checks G9, G10 and G11. This checks that the races were real. */
function expectDecided(history: History): void {
  expectKept(history);
  const changes = history.asked.filter(isChange);
  const answered = (verb: string, code: string): number =>
    changes.filter(({ verb: each, answer }) => {
      const told = answer.kind === "refused" ? answer.code : answer.kind;
      return each === verb && told === code;
    }).length;
  const delivered = (messageId: string): boolean =>
    history.final.messages.get(messageId)?.message.state === "DELIVERED";
  const cancelsLost = changes.filter(
    ({ verb, answer, messageId }) =>
      verb === "cancel" && answer.kind === "refused" && delivered(messageId),
  ).length;
  const counts = {
    cancelsWon: answered("cancel", "ok"),
    cancelsLost,
    reschedulesWon: answered("reschedule", "ok"),
    reschedulesLost: answered("reschedule", "E-DI-5004"),
    metInFlight: metInFlight(history, changes),
  };
  for (const [what, count] of Object.entries(counts)) {
    expect(count, what).toBeGreaterThanOrEqual(200);
  }
}

/** The number of calls that came while the target was working on the message. */
function metInFlight({ receipts }: History, changes: readonly ChangeAsked[]): number {
  const receiptsOf = Map.groupBy(receipts, ({ messageId }) => messageId);
  return changes.filter(({ messageId, askedAt, answeredAt }) =>
    receiptsOf
      .get(messageId)
      ?.some(
        ({ startedAt, endedAt }) => startedAt <= answeredAt && (endedAt ?? Infinity) >= askedAt,
      ),
  ).length;
}

function isChange(call: History["asked"][number]): call is ChangeAsked {
  return call.verb === "cancel" || call.verb === "reschedule";
}
