import type { Paint } from "./colours.ts";

/** How to show things to a person, here and now. */
export interface Look {
  readonly paint: Paint;
  readonly now: number;
  /** The width that a table has to fit; null where a program may be reading. */
  readonly columns: number | null;
}
