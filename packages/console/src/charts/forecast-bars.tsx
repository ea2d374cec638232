import type { Forecast } from "@postdate/client";
import { clockTime, zoneMark } from "../time/time-text.ts";
import { useZone } from "../time/zone.tsx";
import { Bars } from "./bars.tsx";

interface ForecastBarsProps {
  readonly forecast: Forecast;
  readonly span?: string;
}

/** Messages that become due, by minute. */
export function ForecastBars({ forecast, span = "the next hour" }: ForecastBarsProps) {
  const zone = useZone();
  const { items, minTime, maxTime } = forecast;
  const sum = items.reduce((all, { messages }) => all + messages, 0);
  return (
    <Bars
      bars={items.map(({ time, messages, runs }) => ({
        label: `${clockTime(time, zone)} ${zoneMark(time, zone)}`,
        parts: [
          { value: messages, tone: "plain", name: "due" },
          { value: runs, tone: "coming", name: "runs of schedules" },
        ],
      }))}
      summary={`Messages that become due in ${span}, by minute: ${sum} in all.`}
      ticks={[clockTime(minTime, zone), `${clockTime(maxTime, zone)} ${zoneMark(maxTime, zone)}`]}
    />
  );
}
