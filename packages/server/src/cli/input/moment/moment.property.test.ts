import fc from "fast-check";
import { expect, test } from "vitest";
import { InvalidValue } from "../../../config/invalid-value.ts";
import { formatTime, parseTime } from "../../../domain/times.ts";
import { momentText } from "./moment-text.ts";
import { parseMoment } from "./moment.ts";
import { readClock, wallTimeAt } from "../../../domain/time-zones/wall-time.ts";
import { findZone } from "../../../domain/time-zones/time-zone.ts";

/** Zones whose clocks change by odd amounts, at odd hours, or by a whole day. */
const awkwardZones = [
  "UTC",
  "Europe/Berlin",
  "Europe/Dublin",
  "America/New_York",
  "America/St_Johns",
  "America/Nuuk",
  "America/Santiago",
  "Africa/Casablanca",
  "Africa/Monrovia",
  "Asia/Kathmandu",
  "Asia/Tehran",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Pacific/Chatham",
  "Pacific/Kiritimati",
  "Antarctica/Troll",
];

const zones = fc.constantFrom(...awkwardZones).map((name) => findZone(name)!);
const wholeSeconds = fc
  .integer({ min: Date.UTC(1900, 0, 1) / 1_000, max: Date.UTC(2200, 0, 1) / 1_000 })
  .map((second) => second * 1_000);

/** Half of the instants are near a change of clocks, where mistakes live. */
const instants = fc.tuple(wholeSeconds, zones, fc.boolean()).map(([time, zone, nearChange]) => ({
  zone,
  time: nearChange ? nextChange(time, zone) + (time % 10_800_000) - 5_400_000 : time,
}));

function nextChange(from: number, zone: { offsetMsAt(time: number): number }): number {
  const offsetMs = zone.offsetMsAt(from);
  const stepMs = 7 * 86_400_000;
  let late = from + stepMs;
  while (zone.offsetMsAt(late) === offsetMs && late < from + 60 * stepMs) late += stepMs;
  let [low, high] = [late - stepMs, late];
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2_000) * 1_000;
    if (zone.offsetMsAt(middle) === offsetMs) low = middle;
    else high = middle;
  }
  return high;
}

test("what clocks show at an instant is read as that instant, or as the earlier one that shows the same", () => {
  fc.assert(
    fc.property(instants, ({ time, zone }) => {
      const wallTime = wallTimeAt(time, zone);
      const reading = readClock(wallTime, zone);
      expect(wallTimeAt(reading.time, zone)).toBe(wallTime);
      if (reading.time === time) return;
      expect(reading.time).toBeLessThan(time);
      expect(reading.change).toEqual({ kind: "fold", second: time });
    }),
    { numRuns: 300 },
  );
});

test("any wall time has an instant: clocks show it then, or have just skipped it", () => {
  fc.assert(
    fc.property(instants, ({ time: given, zone }) => {
      // The offset from before a change, so that some of these times are skipped.
      const wallTime = given + zone.offsetMsAt(given - 10_800_000);
      const { time, change } = readClock(wallTime, zone);
      if (change?.kind !== "gap") {
        expect(wallTimeAt(time, zone)).toBe(wallTime);
        return;
      }
      expect(wallTimeAt(time, zone)).toBe(change.to);
      expect(change.to).toBeGreaterThan(wallTime);
      expect(wallTimeAt(time - 1, zone)).toBe(change.from - 1);
      expect(change.from).toBeLessThanOrEqual(wallTime);
    }),
    { numRuns: 300 },
  );
});

test("a moment that is shown can be given again", () => {
  fc.assert(
    fc.property(instants, wholeSeconds, ({ time, zone }, now) => {
      const [written = ""] = momentText({ time, fromNowMs: null }, now, zone).split(" ");
      expect(parseTime(written)).toEqual({ ok: true, time });
    }),
    { numRuns: 200 },
  );
});

const timesOfDay = fc.tuple(fc.nat(23), fc.nat(59)).map(([hour, minute]) => ({
  hour,
  minute,
  text: `${hour}:${String(minute).padStart(2, "0")}`,
}));
const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

test("a weekday is the nearest one in its direction, at that time of day unless clocks skip it", () => {
  fc.assert(
    fc.property(
      instants,
      fc.constantFrom(...weekdays),
      timesOfDay,
      fc.constantFrom("ahead" as const, "back" as const),
      ({ time: now, zone }, weekday, { hour, minute, text }, direction) => {
        const moment = parseMoment(`${weekday} ${text}`, { now, direction, zone: () => zone });
        const awayMs = (moment.time - now) * (direction === "ahead" ? 1 : -1);
        expect(awayMs).toBeGreaterThanOrEqual(direction === "ahead" ? 1 : 0);
        // A week, and a change of clocks in it by up to a day.
        expect(awayMs).toBeLessThanOrEqual(8 * 86_400_000);
        if (moment.choice?.includes("there is no") === true) return;
        const wall = new Date(wallTimeAt(moment.time, zone));
        expect(weekdays[wall.getUTCDay()]).toBe(weekday);
        expect([wall.getUTCHours(), wall.getUTCMinutes()]).toEqual([hour, minute]);
      },
    ),
    { numRuns: 200 },
  );
});

test("a date and time without an offset is read in the zone", () => {
  fc.assert(
    fc.property(instants, ({ time: wallTime, zone }) => {
      const text = formatTime(wallTime).slice(0, 19);
      for (const given of [text, text.replace("T", " ")]) {
        const moment = parseMoment(given, { now: 0, direction: "ahead", zone: () => zone });
        expect(moment.time).toBe(readClock(wallTime, zone).time);
      }
    }),
    { numRuns: 200 },
  );
});

test("no text is accepted without a time, and none breaks the reader", () => {
  const words = fc.constantFrom(
    "tomorrow",
    "fri",
    "at",
    "9:00",
    "am",
    "in",
    "1h",
    "ago",
    "noon",
    "midnight",
    "9",
    "hours",
    "an",
    "next",
    "on",
    "2026-11-20",
    "-",
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(words, { maxLength: 4 }).map((all) => all.join(" ")),
  );
  const zone = findZone("UTC")!;
  fc.assert(
    fc.property(texts, (text) => {
      try {
        const moment = parseMoment(text, { now: 0, direction: "ahead", zone: () => zone });
        expect(parseTime(moment.text)).toEqual({ ok: true, time: moment.time });
      } catch (error) {
        if (!(error instanceof InvalidValue)) throw error;
      }
    }),
  );
});
