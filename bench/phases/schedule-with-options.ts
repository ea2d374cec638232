import { comparedFigure } from "../figures/figure.ts";
import { wantedOf } from "../figures/wanted.ts";
import type { Bench, Phase } from "../phase.ts";
import type { MessageExtras } from "../processes/requests.ts";
import { startService } from "../service.ts";
import { inTurns } from "../turns.ts";
import { batchedPerSecond } from "./schedule-batches.ts";
import { singlesPerSecond } from "./schedule-single.ts";

const extras: Readonly<Record<string, MessageExtras>> = {
  "with a key": "key",
  "with two labels": "labels",
  "with a key and two labels": "key and labels",
};

const ways = {
  "schedule one per call": singlesPerSecond,
  "schedule in batches": batchedPerSecond,
};

export const scheduleWithOptions: Phase = {
  name: "options",
  about: "scheduling messages with a key, with labels and with both, beside plain ones",
  boundMs: () => 600_000,
  async measure(bench) {
    const { urls } = await startService(bench);
    const figures = [];
    for (const [way, perSecond] of Object.entries(ways)) {
      const rates = await ratesOf(bench, urls, perSecond);
      for (const [what, values] of Object.entries(rates)) {
        if (what === plain) continue;
        const figure = { name: `${way}, ${what}`, unit: "/s" };
        const wanted = wantedOf(bench.options, "withOptions");
        const limit = { name: "plain messages", values: rates[plain]! };
        figures.push(comparedFigure({ ...figure, wanted }, values, limit));
      }
    }
    return figures;
  },
};

const plain = "plain";

async function ratesOf(
  bench: Bench,
  urls: readonly string[],
  perSecond: typeof singlesPerSecond,
): Promise<Record<string, number[]>> {
  const { turns, measuredMs } = bench.options;
  const measures: Record<string, () => Promise<number>> = {
    [plain]: () => perSecond(bench, urls),
  };
  for (const [what, extra] of Object.entries(extras)) {
    measures[what] = () => perSecond(bench, urls, measuredMs, extra);
  }
  for (const extra of [undefined, ...Object.values(extras)]) {
    await perSecond(bench, urls, 2_000, extra);
  }
  return inTurns(turns, measures, (turn, name, value) =>
    bench.say(`turn ${turn}: ${name} ${Math.round(value)}/s`),
  );
}
