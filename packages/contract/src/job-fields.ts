import { printable } from "./fields.ts";
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

/** What every preview of a job tells beside the first of what it has counted. */
export const previewCounts = (counted: string) => ({
  count: count(counted),
  exact: Type.Boolean({
    description:
      "False: there may be more than this. It counts up to 100,000, and for a few seconds at most.",
  }),
});
