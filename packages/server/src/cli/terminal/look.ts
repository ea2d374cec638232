import type { Paint } from "./colours.ts";

/** How to show things to the person at this terminal. */
export interface Look {
  readonly paint: Paint;
  readonly now: number;
  /** The width that a table must fit; null if a program may be reading. */
  readonly columns: number | null;
  /** The table goes on from an earlier page, whose heading it has. */
  readonly isContinued?: boolean;
}
