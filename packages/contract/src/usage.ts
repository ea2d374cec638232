import { integerOrNull, time } from "./fields.ts";
import { Type } from "./type.ts";

export const Usage = Type.Object(
  {
    month: Type.String({ description: "The calendar month, UTC.", examples: ["2026-11"] }),
    used: Type.Integer({ minimum: 0, description: "How many messages were scheduled in it." }),
    limit: integerOrNull("How many may be; null: as many as the account likes."),
    remaining: integerOrNull("How many more may be; null where there is no limit."),
    resetTime: time("When the next month begins, and the count anew."),
  },
  { $id: "Usage", description: "What the account has scheduled this month, and may." },
);
