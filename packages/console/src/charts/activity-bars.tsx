import type { Activity } from "@postdate/client";
import { clockTime, zoneMark } from "../time/time-text.ts";
import { useZone } from "../time/zone.tsx";
import { Bars, type Bar } from "./bars.tsx";

const minuteMs = 60_000;

/** Attempts a minute, delivered and failed. Minutes without any are gaps. */
export function ActivityBars({ activity, height }: { activity: Activity; height?: number }) {
  const zone = useZone();
  const from = Date.parse(activity.minTime);
  const to = Date.parse(activity.maxTime);
  const byTime = new Map(activity.items.map((item) => [Date.parse(item.time), item]));
  const times = Array.from(
    { length: (to - from) / minuteMs },
    (_, index) => from + index * minuteMs,
  );
  const bars = times.map((time): Bar => {
    const { outcomes = {} } = byTime.get(time) ?? {};
    const delivered = outcomes["DELIVERED"] ?? 0;
    return {
      label: `${clockTime(time, zone)} ${zoneMark(time, zone)}`,
      parts: [
        { value: delivered, tone: "good", name: "delivered" },
        ...Object.entries(outcomes)
          .filter(([outcome]) => outcome !== "DELIVERED")
          .map(([outcome, value]) => ({
            value,
            tone: "bad" as const,
            name: outcome.toLowerCase().replaceAll("_", " "),
          })),
      ],
    };
  });
  const { attempts, outcomes } = activity.total;
  const delivered = outcomes["DELIVERED"] ?? 0;
  return (
    <Bars
      bars={bars}
      summary={`Attempts by minute in the last hour: ${delivered} delivered, ${attempts - delivered} failed.`}
      ticks={[clockTime(from, zone), `${clockTime(to, zone)} ${zoneMark(to, zone)}`]}
      {...(height === undefined ? {} : { height })}
    />
  );
}
