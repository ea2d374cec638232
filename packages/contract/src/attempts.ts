import { integerOrNull, messageId, named, textOrNull, time } from "./fields.ts";
import { targetKinds } from "./target-kinds/kinds.ts";
import { Type } from "./type.ts";

const failures = new Set(targetKinds.flatMap((each) => each.failures));

export const Attempt = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: "1 for the first attempt at a message." }),
    startTime: time("When the attempt began."),
    endTime: time("When its outcome was known."),
    outcome: Type.Unsafe<string>({
      type: "string",
      enum: ["DELIVERED", ...failures, "INTERRUPTED"],
      description: "How it ended. Everything but `DELIVERED` is a failure.",
    }),
    statusCode: integerOrNull("The status the target answered with; null where there was none."),
    error: textOrNull("What went wrong, for people; null for a delivered one."),
    response: textOrNull(
      "The first piece of what the target answered, with `[header value]` in place of the values of the target's own headers. Shown with `scheduler.all.*` alone, null otherwise.",
    ),
  },
  { $id: "Attempt", description: "One attempt to deliver a message." },
);

export const AttemptList = Type.Object(
  { messageId, attempts: Type.Array(named(Attempt)) },
  { $id: "AttemptList", description: "Every attempt at a message, the first one first." },
);
