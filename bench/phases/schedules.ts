import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../figures/medians.ts";
import { wantedOf } from "../figures/wanted.ts";
import type { Phase } from "../phase.ts";
import { deleteJson, getJson, postJson } from "../processes/server.ts";
import { addTarget, addTargets, startService } from "../service.ts";
import type { Service } from "../service.ts";
import { leadMs, steadyLateness } from "./steady-lateness.ts";

const group = "steady";
const perSecond = 500;
const targetId = "digests";
const callers = 128;
/** The instant is so far away that all can be created until then, and the service is at rest before it. */
const restMs = 15_000;
/** So many are created at first, which tells how long all take. */
const tried = 1_000;
/** The more there are, the longer each may take. */
const slower = 1.5;
/** As early as runs are made. */
const aheadMs = 5_000;
/** The traffic begins before the first run is made, and goes on after the last one should have been. */
const besideMs = { before: 7_000, after: 5_000 };

export const schedules: Phase = {
  name: "schedules",
  about: `recurring schedules that are all due at one instant, beside ${perSecond} deliveries a second`,
  boundMs: () => 1_200_000,
  async measure(bench) {
    const { options, say } = bench;
    const count = options.quick ? 10_000 : 100_000;
    const service = await startService(bench);
    const targetIds = await addTargets(bench, service, { group, count: 4 });
    await addTarget(bench, service, { targetId, group: "later" });
    // What is measured is the making. The messages stay where they are.
    await postJson(service.urls[0]!, `/v1/targets/${targetId}/pause`, undefined);
    const traffic = { group, targetIds, urls: service.urls, perSecond };
    say("warming up");
    await steadyLateness(bench, { ...traffic, seconds: options.quick ? 5 : 30 });
    say("creating some schedules");
    const triedAt = Date.now();
    await create(service, "tried", tried, triedAt + 86_400_000);
    const eachMs = (Date.now() - triedAt) / tried;
    await removeAll(service, "tried", tried);
    const soonest = Date.now() + count * eachMs * slower + restMs;
    const instant = Math.ceil(soonest / 1_000) * 1_000;
    say(`creating ${count.toLocaleString("en")}, some ${Math.round(1_000 / eachMs)} a second`);
    await create(service, "digest", count, instant);
    const startAt = instant - besideMs.before;
    if (Date.now() > startAt - leadMs) throw new Error("the schedules were not created in time");
    await sleep(startAt - leadMs - 500 - Date.now());
    say("measuring");
    const seconds = (besideMs.before + besideMs.after) / 1_000;
    const lateMs = await steadyLateness(bench, { ...traffic, startAt, seconds });
    const madeAt = await whenMade(service, count);
    const [first, last] = [madeAt.at(0)!, madeAt.at(-1)!];
    // Messages arrive in the order of their times: these were due while the runs were made.
    const placeOf = (time: number): number => Math.floor(((time - startAt) * perSecond) / 1_000);
    const beside = lateMs.slice(placeOf(instant - aheadMs), placeOf(last));
    return [
      {
        name: `runs of ${count.toLocaleString("en")} schedules at one instant, made`,
        unit: "/s",
        value: (count * 1_000) / (last - first),
      },
      {
        name: "the last of them is made, after the instant",
        unit: "ms",
        value: last - instant,
        wanted: wantedOf(options, "lastRunAfterMs"),
      },
      { name: "beside it, lateness p50", unit: "ms", value: percentile(beside, 0.5) },
      {
        name: "beside it, lateness p99",
        unit: "ms",
        value: percentile(beside, 0.99),
        wanted: wantedOf(options, "besideSchedulesP99"),
      },
    ];
  },
};

async function create(
  { urls }: Service,
  name: string,
  count: number,
  instant: number,
): Promise<void> {
  const date = new Date(instant);
  const [day, month] = [date.getUTCDate(), date.getUTCMonth() + 1];
  const time = [date.getUTCSeconds(), date.getUTCMinutes(), date.getUTCHours()].join(" ");
  // Once a year, so each of them has a next run time to find and is to be looked at again.
  const cron = `${time} ${day} ${month} *`;
  await eachOf(count, async (index) => {
    const schedule = { scheduleId: `${name}-${index}`, targetId, payload: "x".repeat(200), cron };
    await postJson(urls[index % urls.length]!, "/v1/schedules", schedule);
  });
}

/** An account has no room for more than are measured. */
async function removeAll({ urls }: Service, name: string, count: number): Promise<void> {
  await eachOf(count, (index) => deleteJson(urls[0]!, `/v1/schedules/${name}-${index}`));
}

async function eachOf(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
  let begun = 0;
  const actOnSome = async (): Promise<void> => {
    while (begun < count) await act(begun++);
  };
  await Promise.all(Array.from({ length: callers }, actOnSome));
}

/** When each message was made, the earliest first. Waits until all are. */
async function whenMade({ urls }: Service, count: number): Promise<number[]> {
  const times: number[] = [];
  for (;;) {
    let token: string | null = null;
    do {
      const path = `/v1/targets/${targetId}/scheduled-messages?limit=100`;
      const page = (await getJson(
        urls[0]!,
        token === null ? path : `${path}&pageToken=${encodeURIComponent(token)}`,
      )) as { items: { schedulingTime: string }[]; nextPageToken: string | null };
      times.push(...page.items.map(({ schedulingTime }) => Date.parse(schedulingTime)));
      token = page.nextPageToken;
    } while (token !== null);
    if (times.length === count) return times.toSorted((a, b) => a - b);
    if (times.length > count) throw new Error(`${times.length} runs of ${count} schedules`);
    times.length = 0;
    await sleep(1_000);
  }
}
