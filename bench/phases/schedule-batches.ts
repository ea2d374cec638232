import { comparedFigure } from "../figures/figure.ts";
import { wantedOf } from "../figures/wanted.ts";
import type { FastifyLimitCalls } from "../limits/fastify.ts";
import { startRowLimit } from "../limits/row-limit.ts";
import type { Bench, Phase } from "../phase.ts";
import type { MessageExtras } from "../processes/requests.ts";
import { startChild } from "../processes/start-child.ts";
import { startService } from "../service.ts";
import { inTurns } from "../turns.ts";

const callers = 4;

export const scheduleBatches: Phase = {
  name: "batch",
  about: "scheduling in batches of 1,000",
  boundMs: () => 300_000,
  async measure(bench) {
    const { options } = bench;
    const fastify = startChild<FastifyLimitCalls>("limits/fastify.ts");
    bench.opened.defer(() => fastify.close());
    const limitUrl = await fastify.call("listen", undefined);
    const rows = await startRowLimit(bench);
    const { urls } = await startService(bench);
    for (const warmed of [[limitUrl], urls]) await batchedPerSecond(bench, warmed, 1_500);
    await rows.perSecond(1_000, 500);
    const measured = await inTurns(
      options.turns,
      {
        fastify: () => batchedPerSecond(bench, [limitUrl]),
        hundreds: () => rows.perSecond(100),
        thousands: () => rows.perSecond(1_000),
        service: () => batchedPerSecond(bench, urls),
      },
      (turn, name, value) => bench.say(`turn ${turn}: ${name} ${Math.round(value)}/s`),
    );
    const { service, fastify: fastifyRates, hundreds, thousands } = measured;
    const name = "schedule in batches";
    return [
      comparedFigure({ name, unit: "/s", wanted: wantedOf(options, "batch") }, service, {
        name: `${rows.name}, by 1,000`,
        values: thousands,
      }),
      comparedFigure({ name, unit: "/s" }, service, {
        name: `${rows.name}, by 100`,
        values: hundreds,
      }),
      comparedFigure({ name, unit: "/s" }, service, { name: "bare Fastify", values: fastifyRates }),
    ];
  },
};

export function batchedPerSecond(
  { load: caller, options }: Bench,
  urls: readonly string[],
  measuredMs = options.measuredMs,
  extras?: MessageExtras,
): Promise<number> {
  const load = { urls, kind: "batch", callers, warmUpMs: 300, measuredMs, extras } as const;
  return caller.call("scheduleLater", load);
}
