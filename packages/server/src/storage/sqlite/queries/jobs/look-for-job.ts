import type { Message } from "../../../../domain/message.ts";
import type { JobLook, JobLookRequest } from "../../../store.ts";
import type { Context } from "../context.ts";
import { matchMessages } from "./match-messages.ts";
import { walkMessages } from "./walk-messages.ts";

export function lookForJob(context: Context) {
  const walk = walkMessages(context);
  const isMatch = matchMessages(context);
  return ({ order, time, after, sample: most }: JobLookRequest): JobLook => {
    const sample: Message[] = [];
    let count = 0;
    const lookedUntil = walk(order, after, (stored) => {
      if (isMatch(order, time, stored)) {
        count++;
        if (sample.length < most) sample.push(stored.message);
      }
      return "next";
    });
    return { count, sample, lookedUntil };
  };
}
