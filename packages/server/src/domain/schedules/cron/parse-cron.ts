import { nextValues } from "./cron.ts";
import type { Cron, NextValues } from "./cron.ts";
import { CronFault, fields, pieceOf, splitPiece } from "./fields.ts";
import type { FieldKind, Piece } from "./fields.ts";
import { readDays } from "./read-days.ts";
import { readValues } from "./read-values.ts";

export type ParsedCron =
  | { readonly ok: true; readonly cron: Cron }
  /** `at` is the first character that is wrong, counted from 0. The reason says what would be right. */
  | { readonly ok: false; readonly at: number; readonly reason: string };

const nicknames: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const order = "minute, hour, day of month, month, weekday";

/** Reads five fields, or six with the seconds first, or a nickname such as `@daily`. */
export function parseCron(text: string): ParsedCron {
  try {
    return { ok: true, cron: readCron(text) };
  } catch (error) {
    if (!(error instanceof CronFault)) throw error;
    return { ok: false, at: error.at, reason: error.message };
  }
}

function readCron(text: string): Cron {
  const given = piecesOf(text);
  const [first] = given;
  if (first === undefined) throw new CronFault({ text, at: 0 }, `it is empty: write ${order}`);
  if (/^(?:CRON_)?TZ=/i.test(first.text)) {
    throw new CronFault(first, "the zone does not belong here: name it in timeZone");
  }
  const found = first.text.startsWith("@") ? piecesOf(expanded(first, given)) : given;
  refuseYear(found);
  if (found.length < 5) {
    throw new CronFault(
      { text, at: text.length },
      `it has ${found.length} of the 5 fields ${order}; a field for seconds may come first`,
    );
  }
  const [second, minute, hour, day, month, weekday] = (
    found.length === 6 ? found : [{ text: "0", at: 0 }, ...found]
  ) as [Piece, Piece, Piece, Piece, Piece, Piece];
  return {
    seconds: readField(second, fields.second),
    minutes: readField(minute, fields.minute),
    hours: readField(hour, fields.hour),
    days: readDays(day, weekday),
    months: valuesOf(month, fields.month),
    isFixed: ![second, minute, hour].some((field) => /[*/-]/.test(field.text)),
  };
}

function piecesOf(text: string): Piece[] {
  const whole = { text, at: 0 };
  return [...text.matchAll(/\S+/g)].map(({ 0: { length }, index }) =>
    pieceOf(whole, index, index + length),
  );
}

function expanded(nickname: Piece, given: readonly Piece[]): string {
  const name = nickname.text.toLowerCase();
  const known = nicknames[name];
  if (known === undefined) throw new CronFault(nickname, hints[name] ?? unknownNickname);
  if (given.length > 1) throw new CronFault(given[1]!, `nothing may follow ${name}`);
  return known;
}

const unknownNickname = `the names are ${Object.keys(nicknames).join(", ")}`;
const hints: Readonly<Record<string, string>> = {
  "@reboot": "nothing boots here: name times, or send a message when your program starts",
  "@every": "use everyMs instead of cron for an interval",
};

/** Some dialects have a year at the end, after five fields or after six. */
function refuseYear(found: readonly Piece[]): void {
  const last = found[found.length - 1]!;
  const isYear = found.length === 6 && /^(?:19|20)\d\d\b/.test(last.text);
  if (found.length <= 6 && !isYear) return;
  throw new CronFault(
    isYear ? last : found[6]!,
    "there is no field for the year: leave it out; startTime and endTime bound a schedule",
  );
}

function readField(field: Piece, kind: FieldKind): NextValues {
  return nextValues(valuesOf(field, kind), kind.most);
}

function valuesOf(field: Piece, kind: FieldKind): ReadonlySet<number> {
  const values = new Set<number>();
  for (const item of splitPiece(field, ",")) readValues(item, kind, values);
  return values;
}
