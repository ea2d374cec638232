import type { FindQuery, MessageState, TimeQuery } from "@postdate/client";

/** What a search text asks for. */
export type Search =
  | { readonly kind: "message"; readonly messageId: string }
  | { readonly kind: "find"; readonly query: FindQuery }
  /** Scheduled messages of one target, the next one first. */
  | { readonly kind: "due"; readonly targetId: string; readonly range: TimeQuery }
  /** Dead letters of one target, the oldest first. */
  | { readonly kind: "dead"; readonly targetId: string }
  | { readonly kind: "unclear"; readonly problem: string };

export const qualifiers = {
  "id:": "one message",
  "target:": "messages for a target",
  "state:": "scheduled, delivered, dead or cancelled; several with commas",
  "label:": "name=value",
  "key:": "that have or had this key",
  "schedule:": "that a recurring schedule has made",
  "due:": "2h (in the next two hours), or 2026-11-18..2026-11-19; needs target:",
  "scheduled:": "2h (in the last two hours), or from..until",
} as const;

const states: Readonly<Record<string, MessageState>> = {
  scheduled: "SCHEDULED",
  delivered: "DELIVERED",
  dead: "DEAD_LETTER",
  dead_letter: "DEAD_LETTER",
  cancelled: "CANCELLED",
};

class Unclear extends Error {}

/** Reads `target:mail state:dead,scheduled label:order=4711`. Values with spaces stand in quotes. */
export function readSearch(text: string, clock: () => number): Search {
  try {
    return planOf(termsIn(text), clock());
  } catch (error) {
    if (error instanceof Unclear) return { kind: "unclear", problem: error.message };
    throw error;
  }
}

type Terms = ReadonlyMap<string, readonly string[]>;

function termsIn(text: string): Terms {
  const terms = new Map<string, string[]>();
  for (const [, name, quoted, plain] of text.matchAll(/(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/gi)) {
    // A bare word is an id: nothing else is unique enough to be pasted alone.
    const key = `${(name ?? "id").toLowerCase()}:`;
    if (!(key in qualifiers)) {
      throw new Unclear(`There is no ${key} Use ${Object.keys(qualifiers).join(" ")}`);
    }
    terms.set(key, [...(terms.get(key) ?? []), quoted ?? plain!]);
  }
  return terms;
}

function planOf(terms: Terms, now: number): Search {
  const messageId = single(terms, "id:");
  if (messageId !== undefined) {
    if (terms.size > 1) throw new Unclear("id: stands alone: there is only one such message.");
    return { kind: "message", messageId };
  }
  const targetId = single(terms, "target:");
  const due = single(terms, "due:");
  if (due !== undefined) {
    const fits = [...terms.keys()].every((name) => name === "due:" || name === "target:");
    if (targetId === undefined) throw new Unclear("due: needs target: beside it.");
    if (!fits) throw new Unclear("due: goes with target: alone, and finds scheduled messages.");
    return { kind: "due", targetId, range: rangeOf(due, now, 1) };
  }
  const scheduled = single(terms, "scheduled:");
  const key = single(terms, "key:");
  const scheduleId = single(terms, "schedule:");
  const state = terms.get("state:")?.flatMap((text) => text.split(",").map(stateOf));
  const labels = terms.get("label:")?.map(labelOf);
  // A target has lists of both, which are quick however many other messages there are.
  if (targetId !== undefined && terms.size === 2 && state?.length === 1) {
    if (state[0] === "SCHEDULED") return { kind: "due", targetId, range: {} };
    if (state[0] === "DEAD_LETTER") return { kind: "dead", targetId };
  }
  return {
    kind: "find",
    query: {
      ...(targetId !== undefined && { targetId }),
      ...(key !== undefined && { key }),
      ...(scheduleId !== undefined && { scheduleId }),
      ...(state !== undefined && { state }),
      ...(labels !== undefined && { labels: Object.fromEntries(labels) }),
      ...(scheduled !== undefined && rangeOf(scheduled, now, -1)),
    },
  };
}

function single(terms: Terms, name: keyof typeof qualifiers): string | undefined {
  const values = terms.get(name) ?? [];
  if (values.length > 1) throw new Unclear(`${name} can stand there once.`);
  return values[0];
}

function stateOf(text: string): MessageState {
  const state = states[text.toLowerCase()];
  if (state === undefined) throw new Unclear(`"${text}" is no state: ${qualifiers["state:"]}.`);
  return state;
}

function labelOf(text: string): readonly [string, string] {
  const at = text.search(/[=:]/);
  if (at < 1) throw new Unclear(`"${text}" is no label: write label:name=value.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A span beside now, in the direction that is meant; or two moments, of which one may be missing. */
function rangeOf(text: string, now: number, direction: 1 | -1): TimeQuery {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (unit !== undefined) {
    const edge = new Date(now + direction * Number(count) * unitMs[unit]!);
    return direction === 1 ? { maxTime: edge } : { minTime: edge };
  }
  const [, from, until] = /^(.*?)\.\.(.*)$/.exec(text) ?? [];
  if (!from && !until) throw new Unclear(`"${text}" is no time: write 2h, or from..until.`);
  return {
    ...(from && { minTime: momentOf(from) }),
    ...(until && { maxTime: momentOf(until) }),
  };
}

/** A date alone begins at midnight, UTC. */
function momentOf(text: string): Date {
  const moment = new Date(/T.*(?:Z|[+-]\d\d:\d\d)$|^\d{4}-\d\d-\d\d$/.test(text) ? text : NaN);
  if (Number.isNaN(moment.getTime())) {
    throw new Unclear(`"${text}" is no time: write 2026-11-18 or 2026-11-18T09:30:00Z.`);
  }
  return moment;
}
