import { CronFault, fields, splitPiece } from "./fields.ts";
import type { FieldKind, Piece } from "./fields.ts";

/** Reads `5`, `1-5`, `1-31/2`, `*` or a star with a step, and adds its values. Throws `CronFault`. */
export function readValues(item: Piece, kind: FieldKind, values: Set<number>): void {
  const [range, step, ...more] = splitPiece(item, "/") as [Piece, ...Piece[]];
  if (more.length > 0) throw new CronFault(more[0]!, "an item has one step at most");
  const { low, high } = readRange(range, step, kind);
  const stride = step === undefined ? 1 : readStep(step, kind);
  for (let value = low; value <= high; value += stride) {
    values.add(kind === fields.weekday ? value % 7 : value);
  }
}

interface Range {
  readonly low: number;
  readonly high: number;
}

function readRange(range: Piece, step: Piece | undefined, kind: FieldKind): Range {
  const { least } = kind;
  const most = highest(kind);
  if (range.text === "*") return { low: least, high: most };
  const [from, to, ...more] = splitPiece(range, "-") as [Piece, ...Piece[]];
  if (more.length > 0) throw new CronFault(more[0]!, "a range has one beginning and one end");
  const low = readValue(from, kind);
  if (to === undefined) {
    if (step === undefined) return { low, high: low };
    const meant = `${range.text}-${wordFor(most, range.text, kind)}/${step.text}`;
    throw new CronFault(
      range,
      `a step needs a range: write ${meant}, or */${step.text} for the whole ${kind.name} field`,
    );
  }
  // SUN is the end of a week as well as its beginning.
  const high = to.text.toUpperCase() === "SUN" ? 7 : readValue(to, kind);
  if (low > high) throw new CronFault(range, `a range goes up: write ${upwards(from, to, kind)}`);
  return { low, high };
}

/** The same values in one range, or in two. */
function upwards(from: Piece, to: Piece, kind: FieldKind): string {
  if (kind === fields.weekday && to.text === "0") return `${from.text}-7`;
  const span = (first: string, last: string): string =>
    first.toUpperCase() === last ? first : `${first}-${last}`;
  const last = wordFor(highest(kind), from.text, kind);
  const first = wordFor(kind.least, to.text, kind);
  return `${span(from.text, last)},${first === to.text.toUpperCase() ? to.text : `${first}-${to.text}`}`;
}

/** The value as a number, or by its name if that is how the caller writes. */
function wordFor(value: number, asIn: string, { names, least }: FieldKind): string {
  return /^\d/.test(asIn) ? String(value) : (names?.[value - least] ?? String(value));
}

/** Saturday, unless a range says otherwise. */
function highest(kind: FieldKind): number {
  return kind === fields.weekday ? 6 : kind.most;
}

export function readValue(piece: Piece, kind: FieldKind): number {
  const { name, least, most, names } = kind;
  const { text } = piece;
  if (/^\d+$/.test(text)) {
    const value = Number(text);
    if (value >= least && value <= most) return value;
    throw new CronFault(piece, `${article(name)} is ${least} to ${most}, not ${text}`);
  }
  if (text === "") throw new CronFault(piece, `${article(name)} is missing`);
  if (names === undefined) {
    const hint = strangers[text.toUpperCase()] ?? `write a number from ${least} to ${most}`;
    throw new CronFault(piece, `"${text}" is no ${name}: ${hint}`);
  }
  const index = names.indexOf(text.toUpperCase());
  if (index >= 0) return least + index;
  const near = names.find((each) => each === text.slice(0, 3).toUpperCase());
  const hint = near ?? `${names.join(", ")}, or a number from ${least} to ${most}`;
  throw new CronFault(piece, `"${text}" is no ${name}: write ${hint}`);
}

function article(name: string): string {
  return `${name === "hour" ? "an" : "a"} ${name}`;
}

/** What other dialects or other fields have. */
const strangers: Readonly<Record<string, string>> = {
  "?": "only day of month and weekday may be ?, so write *",
  L: "only day of month and weekday have a last one",
  H: "there is no hash, so choose a number; flexWindowMs spreads messages",
};

function readStep(step: Piece, kind: FieldKind): number {
  const longest = highest(kind) - kind.least;
  const value = /^\d+$/.test(step.text) ? Number(step.text) : 0;
  if (value >= 1 && value <= longest) return value;
  const other = value > longest ? "; for longer intervals use everyMs" : "";
  throw new CronFault(step, `a step of this field is a number from 1 to ${longest}${other}`);
}
