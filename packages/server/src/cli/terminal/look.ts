import type { Output } from "../surroundings/surroundings.ts";
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

/** The width of a terminal. Null for anything else, and for a terminal that does not know its width. */
export function columnsOf({ isTTY, columns }: Output): number | null {
  return isTTY === true && columns !== undefined && columns > 0 ? columns : null;
}
