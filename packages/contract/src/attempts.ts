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
      description: "How the attempt ended. Every outcome except `DELIVERED` is a failure.",
    }),
    statusCode: integerOrNull("The status of the target's answer; null if it did not answer."),
    error: textOrNull("What went wrong, as text for people; null if the message was delivered."),
    response: textOrNull(
      "The beginning of the target's answer, with `[header value]` in place of the values of the target's own headers. Shown only with `scheduler.all.*`, otherwise null.",
    ),
  },
  { $id: "Attempt", description: "One attempt to deliver a message." },
);

export const AttemptList = Type.Object(
  { messageId, attempts: Type.Array(named(Attempt)) },
  {
    $id: "AttemptList",
    description:
      "The attempts at a message, in the order of their numbers. Of more than 1,000, the latest 1,000; a first `number` above 1 says that earlier ones are left out.",
  },
);
