import { comparedFigure } from "../figures/figure.ts";
import { wantedOf } from "../figures/wanted.ts";
import type { FastifyLimitCalls } from "../limits/fastify.ts";
import type { Bench, Phase } from "../phase.ts";
import type { MessageExtras } from "../processes/requests.ts";
import { startChild } from "../processes/start-child.ts";
import { startService } from "../service.ts";
import { inTurns } from "../turns.ts";

const usualCallers = 64;

export const scheduleSingle: Phase = {
  name: "single",
  about: "scheduling, one per call",
  boundMs: () => 180_000,
  async measure(bench) {
    const { options } = bench;
    const fastify = startChild<FastifyLimitCalls>("limits/fastify.ts");
    bench.opened.defer(() => fastify.close());
    const limitUrl = await fastify.call("listen", undefined);
    const { urls } = await startService(bench);
    for (const warmed of [[limitUrl], urls]) await singlesPerSecond(bench, warmed, 2_000);
    const measured = await inTurns(
      options.turns,
      {
        fastify: () => singlesPerSecond(bench, [limitUrl]),
        service: () => singlesPerSecond(bench, urls),
      },
      (turn, name, value) => bench.say(`turn ${turn}: ${name} ${Math.round(value)}/s`),
    );
    return [
      comparedFigure(
        { name: "schedule one per call", unit: "/s", wanted: wantedOf(options, "single") },
        measured.service,
        { name: "bare Fastify", values: measured.fastify },
      ),
    ];
  },
};

export function singlesPerSecond(
  { load: caller, options }: Bench,
  urls: readonly string[],
  measuredMs = options.measuredMs,
  extras?: MessageExtras,
): Promise<number> {
  const { callers = usualCallers } = options;
  const load = { urls, kind: "single", callers, warmUpMs: 300, measuredMs, extras } as const;
  return caller.call("scheduleLater", load);
}
