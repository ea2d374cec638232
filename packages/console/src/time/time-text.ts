/** How times are shown: `UTC`, `local`, or the name of a zone. */
export type Zone = string;

export function zoneName(zone: Zone): string {
  return zone === "local" ? Intl.DateTimeFormat().resolvedOptions().timeZone : zone;
}

export function isZone(text: unknown): text is Zone {
  if (text === "local") return true;
  try {
    Intl.DateTimeFormat("en", { timeZone: text as string });
    return typeof text === "string" && text !== "";
  } catch {
    return false;
  }
}

type Parts = Readonly<Record<string, string>>;

const formats = new Map<string, Intl.DateTimeFormat>();

/** To make a format is slow, to use it is not. */
function formatFor(zone: Zone): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-GB", {
    timeZone: zoneName(zone),
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
    timeZoneName: "short",
  });
  formats.set(zone, made);
  return made;
}

function partsOf(at: string | number, zone: Zone): Parts {
  const parts = formatFor(zone).formatToParts(new Date(at));
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

/** `2026-11-18 14:05:31`, and `.123` if asked for. The zone is named beside it. */
export function dateTime(at: string | number, zone: Zone, withMs = false): string {
  const { year, month, day, hour, minute, second, fractionalSecond } = partsOf(at, zone);
  const ms = withMs ? `.${fractionalSecond}` : "";
  return `${year}-${month}-${day} ${hour}:${minute}:${second}${ms}`;
}

/** `14:05`. */
export function clockTime(at: string | number, zone: Zone): string {
  const { hour, minute } = partsOf(at, zone);
  return `${hour}:${minute}`;
}

/** `UTC`, `CET`, `GMT+5:30`: what the zone is called at this time. */
export function zoneMark(at: string | number, zone: Zone): string {
  return partsOf(at, zone)["timeZoneName"]!;
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "short" });

/** `in 3 min.`, `2 days ago`. */
export function fromNow(at: string | number, now: number): string {
  const differenceMs = new Date(at).getTime() - now;
  const [unit, size] = steps.find(([, ms]) => Math.abs(differenceMs) >= ms) ?? ["second", 1_000];
  return relative.format(Math.trunc(differenceMs / size), unit);
}

/** `850 ms`, `1.2 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))} s`;
  const units: readonly (readonly [string, number])[] = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["min", 60_000],
    ["s", 1_000],
  ];
  const first = units.findIndex(([, size]) => ms >= size);
  let left = ms;
  return units
    .slice(first, first + 2)
    .map(([name, size]) => {
      const count = Math.floor(left / size);
      left -= count * size;
      return count === 0 ? "" : `${count} ${name}`;
    })
    .filter(Boolean)
    .join(" ");
}
