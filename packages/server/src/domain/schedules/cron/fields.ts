/** One of the fields of an expression: which values it has, and how they are written. */
export interface FieldKind {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Beginning with the least value. */
  readonly names?: readonly string[];
}

const second: FieldKind = { name: "second", least: 0, most: 59 };
const minute: FieldKind = { name: "minute", least: 0, most: 59 };
const hour: FieldKind = { name: "hour", least: 0, most: 23 };
const day: FieldKind = { name: "day of month", least: 1, most: 31 };
const month: FieldKind = {
  name: "month",
  least: 1,
  most: 12,
  names: "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" "),
};
/** 7 is Sunday too. */
const weekday: FieldKind = {
  name: "weekday",
  least: 0,
  most: 7,
  names: "SUN MON TUE WED THU FRI SAT".split(" "),
};

export const fields = { second, minute, hour, day, month, weekday };

/** A part of an expression, and where it begins in it. */
export interface Piece {
  readonly text: string;
  readonly at: number;
}

export function pieceOf({ text, at }: Piece, from: number, to?: number): Piece {
  return { text: text.slice(from, to), at: at + from };
}

export function splitPiece(piece: Piece, separator: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const text of piece.text.split(separator)) {
    pieces.push({ text, at: piece.at + from });
    from += text.length + separator.length;
  }
  return pieces;
}

/** What is wrong with an expression, and where. */
export class CronFault extends Error {
  readonly at: number;

  constructor({ at }: Piece, reason: string) {
    super(reason);
    this.name = "CronFault";
    this.at = at;
  }
}
