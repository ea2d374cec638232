import { expect, test } from "vitest";
import type { ScheduleDefinition } from "../../../../domain/schedules/schedule.ts";
import { account, newTarget, note } from "../../../conformance/harness.ts";
import {
  every,
  noon,
  scheduleNote,
  second,
} from "../../../conformance/schedules/schedule-harness.ts";
import { SetClock } from "../../testing/clocked-executor.ts";
import { killedLives, Life } from "../../testing/killed-lives.ts";
import type { Kill } from "../../testing/killed-lives.ts";

const count = 120;
const ids = Array.from({ length: count }, (_, index) => `s${String(index).padStart(3, "0")}`);
const lives = killedLives();

class SchedulingLife extends Life {
  /** Advances, in as many calls as it takes. */
  advance(): number {
    for (let calls = 1; ; calls++) {
      const { nextLookTime, now } = this.run("advanceSchedules", this.holder, 1_000);
      if (nextLookTime === null || nextLookTime > now) return calls;
    }
  }

  /** The messages that were not taken back, as the ids of their schedules and their run times. */
  made(): unknown[][] {
    return this.values(
      `SELECT options ->> '$.schedule.scheduleId' AS id, options ->> '$.schedule.runTime' AS time
       FROM messages WHERE state <> 3 OR end_reason IS NOT NULL
         AND message_id IN (SELECT message_id FROM schedule_runs)
       ORDER BY id, time`,
    );
  }

  /** What the rows of runs say, and up to where each schedule is decided. */
  expectAgreement(): void {
    const runs = this.values(
      `SELECT schedule_id, run_time FROM schedule_runs JOIN schedules USING (schedule_key)
       WHERE outcome = 0 ORDER BY schedule_id, run_time`,
    );
    expect(this.made()).toEqual(runs);
    const cursors = this.values(
      "SELECT schedule_id, state ->> '$.progress.cursor' FROM schedules ORDER BY schedule_id",
    );
    const latest = new Map(runs as [string, number][]);
    expect(cursors).toEqual(ids.map((id) => [id, latest.get(id)]));
    const scheduled = this.count("messages WHERE next_delivery_time IS NOT NULL");
    expect(this.run("counts")).toEqual({ pending: scheduled });
  }
}

/** A store with schedules that have just begun. */
function begin(definition: ScheduleDefinition, clock: SetClock): SchedulingLife {
  const life = new SchedulingLife(lives.first, clock);
  life.run("ensureAccount", account, "One");
  life.run("createTarget", newTarget("t"), note());
  for (const scheduleId of ids) {
    life.run("createSchedule", { accountId: account, scheduleId, definition }, note());
  }
  return life;
}

const expected = (until: number) =>
  ids.flatMap((id) =>
    Array.from({ length: (until - noon) / (2 * second) }, (_, index) => [
      ...[id, noon + (index + 1) * 2 * second],
    ]),
  );

test.each(["allow", "replace"] as const)(
  "before or after any commit that makes runs, and each is made once: overlap %s",
  (overlap) => {
    let kills: readonly Kill[];
    const definition = every(2 * second, { overlap });
    {
      using life = begin(definition, new SetClock(noon));
      life.clock.wall += overlap === "allow" ? 2 * second : 4 * second;
      // A call ends after a few schedules.
      life.clock.lookMs = 0.4;
      kills = lives.killAtCommits(life);
      expect(life.advance()).toBeGreaterThan(3);
      life.expectAgreement();
    }
    for (const { dataDir, wall } of kills) {
      using life = new SchedulingLife(dataDir, new SetClock(wall));
      life.expectAgreement();
      for (const later of [0, 2, 4]) {
        life.clock.wall = wall + later * second;
        life.advance();
        life.expectAgreement();
      }
      const { wall: now } = life.clock;
      expect(life.made()).toEqual(expected(overlap === "allow" ? now + 4 * second : now));
    }
  },
);

test("before or after the commit of an edit: what was made is there once, by one definition or the other", () => {
  let kills: readonly Kill[];
  const ref = { accountId: account, scheduleId: ids[0]! };
  {
    using life = begin(every(2 * second), new SetClock(noon));
    life.clock.wall += second;
    kills = lives.killAtCommits(life);
    const edit = { definition: every(2 * second, { payload: "new" }), ifRevision: null };
    life.run("changeSchedule", ref, { kind: "define", ...edit }, scheduleNote(ref.scheduleId));
  }
  expect(kills).toHaveLength(2);
  const payloads = kills.map(({ dataDir, wall }) => {
    using life = new SchedulingLife(dataDir, new SetClock(wall));
    life.expectAgreement();
    life.advance();
    expect(life.made()).toEqual(expected(noon + 6 * second));
    const made = life.values(
      `SELECT DISTINCT payload FROM messages
       WHERE next_delivery_time IS NOT NULL AND options ->> '$.schedule.scheduleId' = '${ids[0]}'`,
    );
    return made.flat();
  });
  expect(payloads).toEqual([["tick"], ["new"]]);
});
