import type { LoggedEvent } from "../../../src/domain/events/event.ts";
import type { Message } from "../../../src/domain/message.ts";
import type { Asked } from "../history.ts";
import { factsOf } from "./judge-message.ts";

/** A call that was told what it has changed. */
interface Answer {
  readonly verb: string;
  readonly message: Message;
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** The types of events that a call makes of the message in its answer. */
const typesOf: Readonly<Record<string, readonly string[]>> = {
  cancel: ["message.cancelled"],
  reschedule: ["message.rescheduled"],
  "cancel by key": ["message.cancelled"],
  "reschedule by key": ["message.rescheduled"],
  schedule: ["message.scheduled", "message.replaced"],
  "batch item": ["message.scheduled", "message.replaced"],
};

/** Changes that were answered, by message. A repeated schedule is answered as the first one was, and counts once. */
export function answeredChanges(asked: readonly Asked[]): ReadonlyMap<string, readonly Answer[]> {
  const answers: Answer[] = [];
  const keys = new Set<string>();
  for (const call of asked) {
    const { verb, answer, askedAt, answeredAt } = call;
    if (answer.kind !== "ok" || !("message" in answer) || typesOf[verb] === undefined) continue;
    if ("key" in call) {
      if (answer.keyOutcome === "kept") continue;
      const key = `${call.accountId} ${call.key ?? keys.size}`;
      if (keys.has(key)) continue;
      keys.add(key);
    }
    // A schedule may repeat one that was asked earlier, and whose answer was lost.
    const isRepeatable = "key" in call && call.key !== null;
    const from = isRepeatable ? -Infinity : askedAt;
    answers.push({ verb, message: answer.message, askedAt: from, answeredAt });
  }
  return Map.groupBy(answers, ({ message }) => message.messageId);
}

/** Each answered change has an event of its own that shows what the answer showed, in the order of the calls. */
export function judgeAnswers(answers: readonly Answer[], events: readonly LoggedEvent[]): string[] {
  const problems: string[] = [];
  const free = new Set(events);
  const found: { readonly answer: Answer; readonly at: number }[] = [];
  for (const answer of answers.toSorted((one, other) => one.answeredAt - other.answeredAt)) {
    const event = free.values().find((each) => isOf(answer, each));
    if (event === undefined) {
      const { verb, message } = answer;
      problems.push(`had a ${verb} answered with ${factsOf(message)}, and nobody was told`);
      continue;
    }
    free.delete(event);
    found.push({ answer, at: events.indexOf(event) });
  }
  for (const [index, later] of found.entries()) {
    for (const earlier of found.slice(0, index)) {
      if (earlier.answer.answeredAt >= later.answer.askedAt || earlier.at < later.at) continue;
      problems.push(
        `was told of a ${later.answer.verb} before the ${earlier.answer.verb} before it`,
      );
    }
  }
  return problems;
}

function isOf({ verb, message }: Answer, { type, data }: LoggedEvent): boolean {
  return typesOf[verb]!.includes(type) && factsOf(data.message!) === factsOf(message);
}
