import { givenTime, integerOrNull, named, time, timeOrNull } from "./fields.ts";
import { orNull } from "./target-kinds/target-kind-schema.ts";
import { Type } from "./type.ts";

const localText = { minLength: 1, maxLength: 40 };
const expression = { minLength: 1, maxLength: 500 };

/** An IANA name, or text that could be meant as one. */
const timeZoneText = { minLength: 1, maxLength: 64, examples: ["Europe/Berlin"] };

/**
 * When a schedule is due. The operation checks that exactly one of `cron`, `everyMs` and `at` is given. Null is the
 * same as left out.
 */
export const recurrence = {
  cron: Type.Optional(
    Type.Unsafe<string | string[] | null>({
      type: ["string", "array", "null"],
      ...expression,
      minItems: 1,
      maxItems: 10,
      items: { type: "string", ...expression },
      description: [
        "One expression, or up to 10: then the schedule is due when any of them is.",
        "Five fields (minute, hour, day of month, month, weekday), or six with the second first; or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.",
        "`*`, lists, ranges, steps (`*/15`, `9-17/2`), names (`JAN`, `MON`); 0 and 7 are Sunday.",
        "`L` is the last day of the month, `LW` its last workday, `15W` the workday nearest to the 15th, `FRI#2` the second Friday, `FRIL` the last. `?` is any day.",
        "If both day fields are set, a day must fit one of them, or both if the weekday begins with `+`.",
      ].join(" "),
      examples: ["0 9 * * MON-FRI", ["0 9 * * MON-FRI", "0 11 * * SAT"]],
    }),
  ),
  everyMs: orNull(
    Type.Integer({
      minimum: 1_000,
      maximum: 31_622_400_000,
      description:
        "An interval, counted from `startTime`, or else from when the schedule is created. It knows no time zones.",
    }),
  ),
  at: orNull(
    Type.Array(Type.String(localText), {
      minItems: 1,
      maxItems: 100,
      description: "Dates and times on the clocks of `timeZone`, without an offset.",
      examples: [["2026-12-24T09:00", "2026-12-31T18:00"]],
    }),
  ),
  timeZone: orNull(
    Type.String({
      ...timeZoneText,
      default: "UTC",
      description:
        "An IANA name. Its clocks and calendar count. Offsets are refused, and abbreviations such as BST.",
    }),
  ),
  startTime: orNull(givenTime("No occurrence before this time.")),
  endTime: orNull(givenTime("No occurrence after this time.")),
  maxRuns: orNull(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description:
        "The schedule ends after so many runs that were made by time, also those that were caught up. What was skipped, missed, triggered or backfilled does not count.",
    }),
  ),
  except: orNull(
    Type.Array(Type.String(localText), {
      maxItems: 500,
      description:
        "What is left out: dates, or dates and times, on the clocks of `timeZone`. Both count: the time that the schedule names, and the one that clocks show.",
      examples: [["2026-12-25", "2026-12-31T18:00"]],
    }),
  ),
};

/** The same in an answer, where nothing is left out. */
export const shownRecurrence = {
  cron: Type.Unsafe<string[] | null>({
    type: ["array", "null"],
    items: { type: "string" },
    description: "The expressions, also if it is one.",
    examples: [["0 9 * * MON-FRI"]],
  }),
  everyMs: integerOrNull("The interval."),
  at: Type.Unsafe<string[] | null>({
    type: ["array", "null"],
    items: { type: "string" },
    description: "Dates and times on the clocks of `timeZone`.",
  }),
  timeZone: Type.String({ ...timeZoneText, description: "The zone whose clocks count." }),
  startTime: timeOrNull("No run before this time."),
  endTime: timeOrNull("No run after this time."),
  maxRuns: integerOrNull("How many runs are made by time before the schedule ends."),
  except: Type.Array(Type.String(), {
    description: "Dates, or dates and times, that are left out.",
  }),
};

export const Occurrence = Type.Object(
  {
    time: time("The instant."),
    localTime: Type.String({
      description: "What the clocks of `timeZone` show then.",
      examples: ["2026-03-29T03:00:00"],
    }),
    offset: Type.String({
      description: "How far these clocks are ahead of UTC.",
      examples: ["+02:00"],
    }),
    mark: Type.Unsafe<"gap" | "fold" | null>({
      type: ["string", "null"],
      enum: ["gap", "fold", null],
      description:
        "`gap`: clocks skip the time that the schedule names, and this is the end of the gap. `fold`: clocks show this time twice; `offset` tells which one it is.",
    }),
  },
  { $id: "Occurrence", description: "One time at which a schedule is due." },
);

export const OccurrenceList = Type.Object(
  { occurrences: Type.Array(named(Occurrence)) },
  {
    $id: "OccurrenceList",
    description:
      "The next occurrences, the earliest first: as many as were asked for, or all of the next fifty years if they are fewer.",
  },
);
