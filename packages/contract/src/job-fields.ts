import { printable, textOrNull } from "./fields.ts";
import { Type } from "./type.ts";

export const count = (description: string) => Type.Integer({ minimum: 0, description });

export const givenRate = Type.Integer({
  minimum: 1,
  maximum: 10_000,
  description:
    "The most messages a second. 50 for `redrive` and `backfill` and 2,000 for other actions, unless given.",
});

export const jobNote = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: printable,
    description: "Your own remark, kept with the job and in the audit log.",
  }),
);

/** What the preview of a job takes beside what the job would. */
export const previewing = (only: string) => ({
  dryRun: Type.Optional(Type.Boolean({ description: `${only} Nothing changes.` })),
  pageToken: Type.Optional(
    Type.String({
      description:
        "Only with `dryRun`: the `nextPageToken` of the answer before. It counts what comes behind that.",
    }),
  ),
});

/** What every preview of a job tells beside the first of what it has counted. */
export const previewCounts = (counted: string) => ({
  count: count(counted),
  exact: Type.Boolean({
    description:
      "False: there may be more than this. One answer counts up to some 100,000, and for less than a second.",
  }),
  nextPageToken: textOrNull("Send it as `pageToken` to go on counting; null: nothing is left."),
});
