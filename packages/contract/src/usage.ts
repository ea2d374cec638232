import { integerOrNull, time } from "./fields.ts";
import { Type } from "./type.ts";

export const Usage = Type.Object(
  {
    month: Type.String({ description: "The calendar month, UTC.", examples: ["2026-11"] }),
    used: Type.Integer({
      minimum: 0,
      description: "How many messages were scheduled in the month.",
    }),
    limit: integerOrNull("How many may be scheduled; null: no limit."),
    remaining: integerOrNull("How many more may be scheduled; null: no limit."),
    resetTime: time("When the next month begins and the count starts at 0."),
  },
  {
    $id: "Usage",
    description: "How many messages the account has scheduled this month, and how many it may.",
  },
);
