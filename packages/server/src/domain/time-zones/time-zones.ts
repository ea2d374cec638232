import { findZone, utc } from "./time-zone.ts";
import type { Zone } from "./time-zone.ts";

/** A zone keeps a formatter of some 30 KB and what it has found out about its clocks. */
const mostZones = 100;

/** The time zones that were asked for lately. */
export class TimeZones {
  readonly #known = new Map<string, Zone>([["utc", utc]]);

  /** The zone of this IANA name. Undefined if there is none: an offset such as +01:00 is none either. */
  find(name: string): Zone | undefined {
    // Letters of other alphabets may have the same small letter.
    if (!/^[A-Za-z][\w+/-]*$/.test(name)) return undefined;
    const key = name.toLowerCase();
    const known = this.#known.get(key) ?? findZone(name);
    if (known === undefined) return undefined;
    // The one that was asked for last is the last to go.
    this.#known.delete(key);
    this.#known.set(key, known);
    if (this.#known.size > mostZones) this.#known.delete(this.#known.keys().next().value!);
    return known;
  }
}
