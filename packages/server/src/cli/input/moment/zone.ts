/** A time zone, by its IANA name. */
export interface Zone {
  readonly name: string;
  /** How far its clocks are ahead of UTC at this instant. */
  offsetMsAt(time: number): number;
}

/** Undefined if there is no zone of this name. */
export function findZone(name: string): Zone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en", { timeZone: name, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
  return {
    name: format.resolvedOptions().timeZone,
    offsetMsAt(time) {
      const parts = format.formatToParts(time);
      return offsetMsOf(parts.find(({ type }) => type === "timeZoneName")?.value ?? "");
    },
  };
}

export const utc: Zone = { name: "UTC", offsetMsAt: () => 0 };

/** Reads `GMT`, `GMT+05:30` and, from the time before standard time, `GMT+00:53:28`. */
function offsetMsOf(text: string): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(text) ?? [];
  const offsetMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return sign === "-" ? -offsetMs : offsetMs;
}
