import { TimeZones } from "../../../src/domain/time-zones/time-zones.ts";
import type { Zone } from "../../../src/domain/time-zones/time-zone.ts";

/** Time-zone data that does not know of a change of clocks: they go on as they did before it. */
export class OlderTimeZones extends TimeZones {
  readonly #unknownChange: number;

  constructor(unknownChange: number) {
    super();
    this.#unknownChange = unknownChange;
  }

  override find(name: string): Zone | undefined {
    const zone = super.find(name);
    return zone && zone.name !== "UTC" ? withoutChange(zone, this.#unknownChange) : zone;
  }
}

function withoutChange(zone: Zone, change: number): Zone {
  const offsetMs = zone.offsetMsAt(change - 1);
  return {
    name: zone.name,
    offsetMsAt: (time) => (time < change ? zone.offsetMsAt(time) : offsetMs),
    stretchAt(time) {
      if (time >= change) return { from: change, until: Infinity, offsetMs };
      const stretch = zone.stretchAt(time);
      return { ...stretch, until: Math.min(stretch.until, change) };
    },
  };
}

export const olderVersion = "2026a";
export const newerVersion = "2026b";
