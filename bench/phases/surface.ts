import type { Figure } from "../figures/figure.ts";
import { comparedFigure } from "../figures/figure.ts";
import type { FastifyLimitCalls } from "../limits/fastify.ts";
import { startRowLimit } from "../limits/row-limit.ts";
import type { Phase } from "../phase.ts";
import { startChild } from "../processes/start-child.ts";
import { startService } from "../service.ts";
import { inTurns } from "../turns.ts";
import { singlesPerSecond } from "./schedule-single.ts";

const callers = [16, 64, 256, 1_024];
const syncsTakeLongerByMs = [0, 1, 5];

/** Single calls on disks of different speeds, with few and with many callers. */
export const surface: Phase = {
  name: "surface",
  about: "scheduling, one per call, by disk and by callers",
  boundMs: ({ turns }) => 120_000 + turns * 180_000,
  async measure(bench) {
    const { options, disk } = bench;
    if (disk === null) throw new Error("it needs a disk that can be made slower");
    const fastify = startChild<FastifyLimitCalls>("limits/fastify.ts");
    bench.opened.defer(() => fastify.close());
    bench.opened.defer(() => disk.syncsTakeLonger(options.diskMs));
    const limitUrl = await fastify.call("listen", undefined);
    const rows = await startRowLimit(bench);
    const { urls } = await startService(bench);
    const singles = (url: readonly string[], count: number): Promise<number> =>
      singlesPerSecond({ ...bench, options: { ...options, callers: count } }, url);
    disk.syncsTakeLonger(0);
    for (const warmed of [[limitUrl], urls]) await singles(warmed, 64);
    const figures: Figure[] = [];
    for (const byMs of syncsTakeLongerByMs) {
      disk.syncsTakeLonger(byMs);
      for (const count of callers) {
        const name = `disk +${byMs} ms, ${count} callers`;
        const measured = await inTurns(
          options.turns,
          {
            fastify: () => singles([limitUrl], count),
            // The best that this disk allows: each commit carries the rows of all callers.
            rows: () => rows.perSecond(count),
            service: () => singles(urls, count),
          },
          (turn, each, value) => bench.say(`${name}, turn ${turn}: ${each} ${Math.round(value)}/s`),
        );
        const figure = { name, unit: "/s" };
        figures.push(
          comparedFigure(figure, measured.service, {
            name: "bare Fastify",
            values: measured.fastify,
          }),
          comparedFigure(figure, measured.service, {
            name: `${rows.name}, by ${count}`,
            values: measured.rows,
          }),
        );
      }
    }
    return figures;
  },
};
