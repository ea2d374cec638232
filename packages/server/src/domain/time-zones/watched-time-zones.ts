import type { Zone } from "./time-zone.ts";
import { TimeZones } from "./time-zones.ts";

/**
 * The same zones, for one decision. Afterwards they tell whether it depends on time-zone data. What concerns UTC alone
 * does not, nor what needs no clock.
 */
export class WatchedTimeZones extends TimeZones {
  readonly #zones: TimeZones;
  #isAsked = false;

  constructor(zones: TimeZones) {
    super();
    this.#zones = zones;
  }

  /** Whether a zone was asked for what its clocks show. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  override find(name: string): Zone | undefined {
    const zone = this.#zones.find(name);
    return zone === undefined || zone.name === "UTC" ? zone : this.#watched(zone);
  }

  #watched(zone: Zone): Zone {
    return {
      name: zone.name,
      offsetMsAt: (time) => {
        this.#isAsked = true;
        return zone.offsetMsAt(time);
      },
      stretchAt: (time) => {
        this.#isAsked = true;
        return zone.stretchAt(time);
      },
    };
  }
}
