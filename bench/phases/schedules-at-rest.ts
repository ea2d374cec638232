import type { Phase } from "../phase.ts";
import { postJson } from "../processes/server.ts";
import { addTarget, startNodes, startService } from "../service.ts";
import { copySchedules } from "../statements/copy-schedules.ts";
import { measureAtRest } from "./at-rest.ts";

export const schedulesAtRest: Phase = {
  name: "schedules-at-rest",
  about: "what very many recurring schedules cost while none is due",
  boundMs: () => 600_000,
  async measure(bench) {
    const count = bench.options.quick ? 100_000 : 1_000_000;
    const first = await startService(bench);
    await addTarget(bench, first, { targetId: "digests", group: "later" });
    const when = {
      cron: "0 9 1 1 *",
      timeZone: "Europe/Berlin",
      startTime: "2100-01-01T00:00:00Z",
    };
    const schedule = {
      scheduleId: "digest",
      targetId: "digests",
      payload: "x".repeat(200),
      ...when,
    };
    await postJson(first.urls[0]!, "/v1/schedules", schedule);
    for (const server of first.servers) await server.stop();
    bench.say(`copying it to ${count.toLocaleString("en")}`);
    await copySchedules(first, count);
    const service = await startNodes(bench, first);
    const name = `${count.toLocaleString("en")} schedules`;
    const ready = {
      name: `${name}, start to ready`,
      unit: "ms",
      value: service.servers[0]!.readyMs,
    };
    const atRest = await measureAtRest(bench, service);
    return [ready, ...atRest.map((figure) => ({ ...figure, name: `${name}, ${figure.name}` }))];
  },
};
