import { givenTime, strict, time } from "./fields.ts";
import { givenRate, jobNote, previewCounts, previewing } from "./job-fields.ts";
import { Type } from "./type.ts";

export const BackfillSchedule = Type.Object(
  {
    from: givenTime("The first run time to make; at most fifty years ago."),
    to: Type.Optional(
      givenTime(
        "The last run time to make; now unless given. Not in the future, and not before `from`.",
      ),
    ),
    ratePerSecond: Type.Optional({
      ...givenRate,
      description: "The most run times a second; 50 unless given.",
    }),
    note: jobNote,
    ...previewing("Only count the run times and show the first ten."),
  },
  {
    ...strict,
    $id: "BackfillSchedule",
    description: "Which run times to make afterwards, and how fast. Both ends are inclusive.",
    examples: [{ from: "2026-11-02T00:00:00+01:00", to: "2026-11-08T23:59:59+01:00" }],
  },
);

export const BackfillPreview = Type.Object(
  {
    ...previewCounts("How many run times have had no run."),
    sample: Type.Array(time("A run time."), { description: "The first ten." }),
  },
  {
    $id: "BackfillPreview",
    description: "What a backfill would make.",
    examples: [
      { count: 1, exact: true, nextPageToken: null, sample: ["2026-11-02T08:00:00.000Z"] },
    ],
  },
);
