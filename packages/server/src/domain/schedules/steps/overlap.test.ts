import { describe, expect, test } from "vitest";
import type { ScheduleDefinition } from "../schedule.ts";
import { mostDecidedAtOnce } from "../limits.ts";
import { lookAgainTime } from "./overlap.ts";
import { someDefinition } from "./testing/some-definition.ts";
import { clock, World } from "./testing/world.ts";

const begin = clock("08:59:30");

/** With a message of 09:00:00 that is delivered when the test says so. */
function overlapping(given: Partial<ScheduleDefinition>): World {
  const world = new World(someDefinition(given), begin);
  world.takesMs = () => Infinity;
  world.runUntil(clock("09:00:30"));
  return world;
}

function deliver(world: World): void {
  for (const message of world.messages.values()) {
    if (message.state === "SCHEDULED" || message.state === "IN_FLIGHT") message.state = "DELIVERED";
  }
}

test("`allow` asks nobody", () => {
  const world = overlapping({ overlap: "allow" });
  world.runUntil(clock("09:01:55"));
  expect(world.told).toHaveLength(3);
});

test.each(["skip", "replace", "queue"] as const)(
  "`%s` makes a run ahead if the earlier message has ended",
  (overlap) => {
    const world = overlapping({ overlap });
    deliver(world);
    world.runUntil(clock("09:00:55"));
    expect(world.told).toEqual(["09:00:00 TIME CREATED", "09:01:00 TIME CREATED"]);
  },
);

test.each(["skip", "replace", "queue"] as const)(
  "`%s` looks again before the run time, and makes the run as soon as it can",
  (overlap) => {
    const world = overlapping({ overlap });
    const looks = [];
    for (const time of ["09:00:55", "09:00:59", "09:00:59.750"]) {
      expect(world.schedule.progress.lookTime).toBe(clock(time));
      world.runUntil(clock(time));
      looks.push(world.schedule.progress.lookTime);
      expect(world.told).toHaveLength(1);
    }
    expect(looks).toEqual([clock("09:00:59"), clock("09:00:59.750"), clock("09:01:00")]);
    expect(world.schedule.progress.isQueueing).toBe(false);
    deliver(world);
    world.runUntil(clock("09:01:00"));
    expect(world.told).toEqual(["09:00:00 TIME CREATED", "09:01:00 TIME CREATED"]);
  },
);

test("a look that waits asks again sooner at first, and every second in the end", () => {
  const after = (ms: number) => lookAgainTime(begin, "scheduled", begin + ms) - begin - ms;
  expect([0, 999, 1_000, 2_000, 4_000, 60_000].map(after)).toEqual([
    250, 250, 250, 500, 1_000, 1_000,
  ]);
});

describe("skip", () => {
  test("leaves the run out at its time, and the next ones too", () => {
    const world = overlapping({ overlap: "skip" });
    world.runUntil(clock("09:02:00"));
    deliver(world);
    world.runUntil(clock("09:03:00"));
    expect(world.told).toEqual([
      "09:00:00 TIME CREATED",
      "09:01:00 TIME SKIPPED OVERLAP",
      "09:02:00 TIME SKIPPED OVERLAP",
      "09:03:00 TIME CREATED",
    ]);
  });

  test("of what is caught up, those that overlap are left out", () => {
    const catchUp = { mode: "all", windowMs: 3_600_000 } as const;
    const world = overlapping({ overlap: "skip", catchUp });
    deliver(world);
    world.outageUntil(clock("09:03:30"));
    world.runUntil(world.now);
    expect(world.told.slice(1)).toEqual([
      "09:01:00 CATCH_UP CREATED",
      "09:02:00 CATCH_UP SKIPPED OVERLAP",
      "09:03:00 CATCH_UP SKIPPED OVERLAP",
    ]);
  });
});

describe("replace", () => {
  test("cancels the earlier message when the new one is made", () => {
    const world = overlapping({ overlap: "replace" });
    world.runUntil(clock("09:01:00"));
    expect(world.told).toEqual(["09:00:00 TIME CREATED", "09:01:00 TIME CREATED"]);
    expect(world.messageOf(clock("09:00:00"))?.state).toBe("REPLACED");
    expect(world.messageOf(clock("09:01:00"))?.state).toBe("SCHEDULED");
  });

  test("leaves the earlier message if the new one could not be made", () => {
    const world = overlapping({ overlap: "replace" });
    world.isOverQuota = true;
    world.runUntil(clock("09:01:00"));
    expect(world.told.at(-1)).toBe("09:01:00 TIME SKIPPED E-DI-5005");
    expect(world.messageOf(clock("09:00:00"))?.state).toBe("SCHEDULED");
  });

  test("waits for an attempt in flight, and is not late by that", () => {
    const world = overlapping({ overlap: "replace" });
    world.messageOf(clock("09:00:00"))!.state = "IN_FLIGHT";
    world.runUntil(clock("09:01:00"));
    expect(world.schedule.progress).toMatchObject({
      isQueueing: true,
      lookTime: clock("09:01:00.250"),
    });
    expect(world.schedule.nextRunTime).toBe(clock("09:01:00"));
    world.runUntil(clock("09:01:40"));
    world.messageOf(clock("09:00:00"))!.state = "SCHEDULED";
    world.runUntil(clock("09:01:41"));
    expect(world.told).toEqual(["09:00:00 TIME CREATED", "09:01:00 TIME CREATED"]);
    expect(world.messageOf(clock("09:00:00"))?.state).toBe("REPLACED");
    expect(world.schedule.progress.isQueueing).toBe(false);
  });

  test("of several that waited, the latest is made", () => {
    const world = overlapping({ overlap: "replace" });
    world.messageOf(clock("09:00:00"))!.state = "IN_FLIGHT";
    world.runUntil(clock("09:03:30"));
    deliver(world);
    world.runUntil(clock("09:03:32"));
    expect(world.told).toEqual([
      "09:00:00 TIME CREATED",
      "09:01:00 TIME SKIPPED OVERLAP",
      "09:02:00 TIME SKIPPED OVERLAP",
      "09:03:00 TIME CREATED",
    ]);
  });
});

describe("queue", () => {
  test("makes what waits one by one, in their order, by time", () => {
    const world = overlapping({ overlap: "queue" });
    world.runUntil(clock("09:03:30"));
    expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
    expect(world.schedule).toMatchObject({
      nextRunTime: clock("09:01:00"),
      progress: { isQueueing: true, cursor: clock("09:00:00") },
    });
    for (const count of [2, 3, 4]) {
      deliver(world);
      world.runUntil(world.now + 1_000);
      expect(world.told).toHaveLength(count);
    }
    expect(world.told.every((text) => text.endsWith("TIME CREATED"))).toBe(true);
    deliver(world);
    world.runUntil(world.now + 1_000);
    expect(world.schedule.progress.isQueueing).toBe(false);
    expect(world.told).toHaveLength(4);
  });

  test("looks again soon after it has made one", () => {
    const world = overlapping({ overlap: "queue" });
    world.runUntil(clock("09:03:30"));
    deliver(world);
    world.runUntil(clock("09:03:31"));
    expect(world.told).toHaveLength(2);
    expect(world.schedule.progress.lookTime).toBeLessThanOrEqual(clock("09:03:32"));
    const { lookTime } = world.schedule.progress;
    world.runUntil(lookTime!);
    deliver(world);
    const step = world.advance();
    expect(step.messages).toHaveLength(1);
    expect(world.schedule.progress.lookTime).toBe(world.now + 250);
  });

  test("a run that was just made counts as the earlier one", () => {
    const world = overlapping({ overlap: "queue", everyMs: 1_000 });
    deliver(world);
    world.advance();
    const scheduled = [...world.messages.values()].filter(({ state }) => state === "SCHEDULED");
    expect(scheduled).toHaveLength(1);
  });

  test("at most the 1,000 latest wait", () => {
    const world = overlapping({ overlap: "queue", cron: ["* * * * * *"] });
    const waiting = world.schedule.nextRunTime!;
    world.runUntil(waiting + 1_299_000);
    expect(world.schedule.nextRunTime).toBe(waiting);
    const due = world.now - 999_000;
    deliver(world);
    world.runUntil(world.now + 1_000);
    expect(world.told.filter((text) => text.endsWith("TIME CREATED"))).toHaveLength(2);
    expect(world.schedule.nextRunTime).toBeGreaterThan(due);
    const skipped = world.told.filter((text) => text.endsWith("TIME SKIPPED OVERLAP"));
    expect(skipped).toHaveLength(300);
    expect(300).toBeGreaterThan(mostDecidedAtOnce);
  });

  test("what was missed before it had to wait is caught up first", () => {
    const world = overlapping({ overlap: "queue" });
    world.outageUntil(clock("09:03:30"));
    world.runUntil(world.now);
    deliver(world);
    world.runUntil(clock("09:03:32"));
    expect(world.told).toEqual([
      "09:00:00 TIME CREATED",
      "09:01:00 TIME MISSED NOT_CAUGHT_UP",
      "09:02:00 TIME MISSED NOT_CAUGHT_UP",
      "09:03:00 TIME CREATED",
    ]);
  });

  test.each(["none", "last"] as const)(
    "what comes while nobody looks was missed, and `catchUp: %s` decides",
    (mode) => {
      for (const isOver of [true, false]) {
        const catchUp = { mode, windowMs: 3_600_000 };
        const world = overlapping({ overlap: "queue", catchUp });
        world.runUntil(clock("09:01:30"));
        world.outageUntil(clock("09:04:30"));
        if (isOver) deliver(world);
        world.runUntil(clock("09:05:30"));
        for (let round = 0; round < 6; round++) {
          deliver(world);
          world.runUntil(world.now + 1_000);
        }
        expect(world.told).toEqual([
          "09:00:00 TIME CREATED",
          "09:01:00 TIME CREATED",
          "09:02:00 TIME MISSED NOT_CAUGHT_UP",
          "09:03:00 TIME MISSED NOT_CAUGHT_UP",
          mode === "none" ? "09:04:00 TIME MISSED NOT_CAUGHT_UP" : "09:04:00 CATCH_UP CREATED",
          "09:05:00 TIME CREATED",
        ]);
      }
    },
  );

  test("maxRuns ends it, whatever waits", () => {
    const world = overlapping({ overlap: "queue", maxRuns: 2 });
    world.runUntil(clock("09:03:30"));
    deliver(world);
    world.runUntil(clock("09:03:32"));
    expect(world.told).toHaveLength(2);
    expect(world.schedule).toMatchObject({ nextRunTime: null, progress: { isQueueing: false } });
  });

  test("a bound that passes while a run waits leaves it out", () => {
    const world = overlapping({ overlap: "queue", message: { notAfterMs: 30_000 } });
    world.runUntil(clock("09:01:29"));
    expect(world.told).toHaveLength(1);
    world.runUntil(clock("09:01:31"));
    expect(world.told).toHaveLength(1);
    deliver(world);
    world.runUntil(clock("09:01:33"));
    expect(world.told.at(-1)).toBe("09:01:00 TIME SKIPPED NOT_AFTER");
  });

  test("what waits is made at once when overlaps are allowed", () => {
    const world = overlapping({ overlap: "queue" });
    world.runUntil(clock("09:03:30"));
    world.redefine({ overlap: "allow" });
    expect(world.told).toEqual([0, 1, 2, 3].map((minute) => `09:0${minute}:00 TIME CREATED`));
    expect(world.schedule.progress.isQueueing).toBe(false);
  });
});
