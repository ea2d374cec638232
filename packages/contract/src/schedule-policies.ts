import { strict } from "./fields.ts";
import { orNull } from "./target-kinds/target-kind-schema.ts";
import { Type } from "./type.ts";

const overlaps = ["allow", "skip", "replace", "queue"] as const;

type Overlap = (typeof overlaps)[number];

const overlapText = [
  "What happens at a run time while the message of the run before is still `SCHEDULED`.",
  "`allow`: the run is made beside it.",
  "`skip`: the run is skipped.",
  "`replace`: that message is cancelled; if an attempt at it is under way, the run waits for its end.",
  "`queue`: the run waits until that message has ended; at most the 1,000 latest run times wait.",
].join(" ");

export const overlap = Type.Unsafe<Overlap>({
  type: "string",
  enum: [...overlaps],
  description: overlapText,
});

export const givenOverlap = Type.Optional(
  Type.Unsafe<Overlap | null>({
    type: ["string", "null"],
    enum: [...overlaps, null],
    default: "allow",
    description: overlapText,
  }),
);

const catchUpModes = ["last", "all", "none"] as const;

type CatchUpMode = (typeof catchUpModes)[number];

const catchUpText =
  "What happens to run times that passed while no run could be made, such as during an outage or while the account was suspended. Nothing is caught up that passed while the schedule was paused.";

const mode = {
  type: "string",
  enum: [...catchUpModes],
  description:
    "`last`: the latest of them is made. `all`: the 1,000 latest are made. `none`: none is made.",
};

/** At most a year of 366 days. */
const windowBounds = { minimum: 1, maximum: 31_622_400_000 };
const windowText = "Older run times are not made";

export const catchUp = Type.Object(
  {
    mode: Type.Unsafe<CatchUpMode>(mode),
    windowMs: Type.Integer({ ...windowBounds, description: `${windowText}.` }),
  },
  { description: catchUpText },
);

export const givenCatchUp = orNull(
  Type.Object(
    {
      mode: Type.Optional(Type.Unsafe<CatchUpMode>({ ...mode, default: "last" })),
      windowMs: Type.Optional(
        Type.Integer({
          ...windowBounds,
          default: 31_536_000_000,
          description: `${windowText}; a year by default.`,
        }),
      ),
    },
    { ...strict, description: catchUpText, examples: [{ mode: "all", windowMs: 86_400_000 }] },
  ),
);
