import { expect, test } from "vitest";
import {
  account,
  exhausted,
  makeTarget,
  newTarget,
  note,
  past,
  resultOf,
  schedule,
} from "../harness.ts";
import { minute, noon, second } from "../schedules/schedule-harness.ts";
import type { MakeClockedLocation, ScheduleWorld } from "../schedules/schedule-harness.ts";
import {
  changeEndpoint,
  createEndpoint,
  eventWorldsOf,
  logOf,
  newEndpoint,
  removeEndpoint,
  toldAbout,
} from "./event-harness.ts";

const healthOnly = { types: ["target.failing", "target.recovered"], targetIds: null, labels: null };

type Ending = "ok" | "bad" | "cut off";

/** One attempt at the target "t" for each ending. */
function attempt(world: ScheduleWorld, ...endings: readonly Ending[]): Promise<void> {
  return attemptAt({ targetId: "t", targetKey: world.targetKey }, world, ...endings);
}

async function attemptAt(
  { targetId, targetKey }: { readonly targetId: string; readonly targetKey: number },
  { store, holder }: ScheduleWorld,
  ...endings: readonly Ending[]
): Promise<void> {
  for (const ending of endings) {
    await schedule(store, targetId, past);
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    const next = ending === "ok" ? ({ kind: "delivered" } as const) : exhausted;
    const result = resultOf(claims[0]!, next);
    const outcome = ending === "cut off" ? "INTERRUPTED" : result.attempt.outcome;
    await store.recordAttempts(holder, [{ ...result, attempt: { ...result.attempt, outcome } }]);
  }
}

const bad = (count: number) => Array.from({ length: count }, () => "bad" as const);

/** When targets begin to fail, and when they recover. */
export function eventHealthSuite(makeLocation: MakeClockedLocation): void {
  const open = eventWorldsOf(makeLocation);

  test("a target fails after ten failures in a row over a minute, and recovers with a success", async () => {
    const world = await open();
    const { store } = world;
    await attempt(world, ...bad(9));
    await world.pass(minute);
    expect(await toldAbout(store, "t")).toEqual([]);
    await attempt(world, "bad");
    expect(await toldAbout(store, "t")).toEqual(["target.failing"]);
    await world.pass(second);
    await attempt(world, "bad", "bad");
    expect(await toldAbout(store, "t")).toEqual(["target.failing"]);
    await attempt(world, "ok", "ok");
    const events = (await logOf(store)).filter(({ type }) => type.startsWith("target."));
    expect(events).toMatchObject([
      {
        ...{ type: "target.failing", targetId: "t", time: noon + minute },
        data: { health: { failedAttempts: 10, since: noon }, target: { targetId: "t" } },
      },
      {
        ...{ type: "target.recovered", targetId: "t", time: noon + minute + second },
        data: { health: { failedAttempts: 12, since: noon } },
      },
    ]);
    for (const { data } of events)
      expect(Object.keys(data).toSorted()).toEqual(["health", "target"]);
  });

  test("a success in between begins the count anew, and few or quick failures are not enough", async () => {
    const world = await open();
    const { store } = world;
    await attempt(world, ...bad(9), "ok");
    await world.pass(2 * minute);
    await attempt(world, ...bad(30));
    expect(await toldAbout(store, "t")).toEqual([]);
    await world.pass(minute - 1);
    await attempt(world, "bad");
    expect(await toldAbout(store, "t")).toEqual([]);
    await world.pass(1);
    await attempt(world, "bad");
    expect(await toldAbout(store, "t")).toEqual(["target.failing"]);
  });

  test("an attempt that a stop of the server cuts off says nothing about its target", async () => {
    const world = await open();
    const { store } = world;
    await attempt(world, ...bad(9), ...Array.from({ length: 20 }, () => "cut off" as const));
    await world.pass(minute);
    await attempt(world, "cut off");
    expect(await toldAbout(store, "t")).toEqual([]);
    await attempt(world, "bad", "cut off", "ok");
    const told = (await logOf(store)).filter(({ type }) => type.startsWith("target."));
    expect(told).toMatchObject([
      { type: "target.failing", data: { health: { failedAttempts: 10, since: noon } } },
      { type: "target.recovered", data: { health: { failedAttempts: 10, since: noon } } },
    ]);
  });

  test("failures of one call count one by one", async () => {
    const world = await open();
    const { store, holder, targetKey } = world;
    await attempt(world, "bad");
    await world.pass(minute);
    for (let index = 0; index < 12; index++) await schedule(store, "t", past);
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 12 }]);
    await store.recordAttempts(
      holder,
      claims.map((claim) => resultOf(claim, { kind: "retry", delayMs: minute })),
    );
    const failing = (await logOf(store)).filter(({ type }) => type === "target.failing");
    expect(failing).toMatchObject([{ data: { health: { failedAttempts: 10, since: noon } } }]);
  });

  test("a target says itself when it fails, also after a change", async () => {
    const world = await open();
    const { store, holder } = world;
    const { targetKey } = await makeTarget(store, "x", { failingAfter: { attempts: 2, ms: 0 } });
    expect(await store.getTarget({ accountId: account, targetId: "x" })).toMatchObject({
      failingAfter: { attempts: 2, ms: 0 },
    });
    const fail = async (): Promise<void> => {
      await schedule(store, "x", past);
      const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
      await store.recordAttempts(holder, [resultOf(claims[0]!, exhausted)]);
    };
    await fail();
    await fail();
    expect(await toldAbout(store, "x")).toEqual(["target.created", "target.failing"]);
    const ref = { accountId: account, targetId: "t" };
    await store.updateTarget(ref, { failingAfter: { attempts: 1, ms: 0 } }, null, note());
    await attempt(world, "bad", "ok");
    await store.updateTarget(ref, { failingAfter: null }, null, note());
    expect(await store.getTarget(ref)).toMatchObject({ failingAfter: null });
    await attempt(world, "bad");
    expect(await toldAbout(store, "t")).toEqual([
      ...["target.updated", "target.failing", "target.recovered", "target.updated"],
    ]);
  });

  test("is kept when the store opens again", async () => {
    const world = await open();
    await attempt(world, ...bad(9));
    await logOf(world.store);
    await world.reopen();
    await world.pass(minute);
    await attempt(world, "bad");
    await logOf(world.store);
    await world.reopen();
    await attempt(world, "ok");
    expect(await toldAbout(world.store, "t")).toEqual(["target.failing", "target.recovered"]);
  });

  test("is told to who wants nothing else, and only that", async () => {
    const world = await open({ isSilent: true });
    const { store } = world;
    await createEndpoint(store, newEndpoint("e", { filter: healthOnly }));
    await attempt(world, ...bad(9));
    await world.pass(minute);
    await attempt(world, "bad", "ok");
    const events = await logOf(store);
    expect(events.map(({ type, position }) => [type, position])).toEqual([
      ["target.failing", 1],
      ["target.recovered", 2],
    ]);
  });

  test("of targets that nobody is told about is not looked at", async () => {
    const world = await open({ isSilent: true });
    const { store } = world;
    const filter = { ...healthOnly, targetIds: ["other"] };
    await createEndpoint(store, newEndpoint("e", { filter }));
    await attempt(world, ...bad(9));
    await logOf(store);
    await changeEndpoint(store, "e", { filter: healthOnly });
    await world.pass(minute);
    // The first nine did not count.
    await attempt(world, ...bad(9));
    await world.pass(minute);
    expect(await toldAbout(store, "t")).toEqual([]);
    await attempt(world, "bad");
    expect(await toldAbout(store, "t")).toEqual(["target.failing"]);
    await changeEndpoint(store, "e", { filter });
    await attempt(world, "ok");
    await changeEndpoint(store, "e", { filter: healthOnly });
    await attempt(world, "ok");
    // It began anew when somebody was told again.
    expect(await toldAbout(store, "t")).toEqual(["target.failing"]);
  });

  test("goes on while any endpoint tells of it, and begins anew once the last one has stopped", async () => {
    const world = await open({ isSilent: true });
    const { store } = world;
    const others = { ...healthOnly, types: ["message.delivered", "target.created"] };
    await createEndpoint(store, newEndpoint("one", { filter: healthOnly }));
    await createEndpoint(store, newEndpoint("two", { filter: healthOnly }));
    await createEndpoint(store, newEndpoint("three", { filter: healthOnly }));
    await attempt(world, ...bad(9));
    await changeEndpoint(store, "one", { filter: others });
    await removeEndpoint(store, "two");
    await changeEndpoint(store, "three", { filter: { ...healthOnly, types: ["target.*"] } });
    await world.pass(minute);
    await attempt(world, "bad");
    expect(await toldAbout(store, "t")).toEqual(["target.failing"]);
    await attempt(world, "ok", ...bad(9));
    await logOf(store);
    await world.reopen();
    await removeEndpoint(world.store, "three");
    await changeEndpoint(world.store, "one", { filter: healthOnly });
    await world.pass(minute);
    await attempt(world, ...bad(9));
    await world.pass(minute);
    expect(await toldAbout(world.store, "t")).toEqual(["target.failing", "target.recovered"]);
    await attempt(world, "bad");
    const { data } = (await logOf(world.store)).at(-1)!;
    expect(data).toMatchObject({ health: { failedAttempts: 10, since: noon + 2 * minute } });
  });

  test("of targets that a filter names goes on while that of the others begins anew", async () => {
    const world = await open({ isSilent: true });
    const { store } = world;
    const x = await makeTarget(store, "x");
    const y = await makeTarget(store, "y");
    const named = (...targetIds: string[]) => ({ filter: { ...healthOnly, targetIds } });
    await createEndpoint(store, newEndpoint("named", named("t", "never created", "x")));
    await createEndpoint(store, newEndpoint("all", { filter: healthOnly }));
    await attempt(world, ...bad(9));
    await attemptAt(x, world, ...bad(9));
    await attemptAt(y, world, ...bad(9));
    // y is not told about any more, then x is not, and then all are again.
    await removeEndpoint(store, "all");
    await changeEndpoint(store, "named", named("t", "never created"));
    await changeEndpoint(store, "named", { filter: healthOnly });
    await world.pass(minute);
    await attempt(world, "bad");
    await attemptAt(x, world, "bad");
    await attemptAt(y, world, "bad");
    expect(await toldAbout(store, "t")).toEqual(["target.failing"]);
    expect(await toldAbout(store, "x")).toEqual([]);
    expect(await toldAbout(store, "y")).toEqual([]);
  });

  test("a target that is created again begins with a clean record", async () => {
    const world = await open();
    const { store } = world;
    await attempt(world, ...bad(9));
    await logOf(store);
    await store.removeTarget({ accountId: account, targetId: "t" }, note());
    await store.createTarget(newTarget("t"), note());
    await world.pass(minute);
    await attempt(world, "bad");
    expect(await toldAbout(store, "t")).toEqual(["target.removed", "target.created"]);
  });
}
