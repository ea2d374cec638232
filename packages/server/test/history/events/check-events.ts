import { isWanted } from "../../../src/domain/events/event-endpoint.ts";
import type { LoggedEvent } from "../../../src/domain/events/event.ts";
import type { Final, History } from "../history.ts";
import type { Violation } from "../violation.ts";
import { answeredChanges, judgeAnswers } from "./judge-answers.ts";
import { judgeHealth } from "./judge-health.ts";
import { judgeLog } from "./judge-log.ts";
import { judgeMessage } from "./judge-message.ts";
import { judgeReader } from "./judge-readings.ts";
import { judgeWebhook } from "./judge-webhooks.ts";
import type { ToldEvents } from "./told-events.ts";

/** What of a history says what has happened, and what was told of it. */
interface ToldHistory extends Pick<History, "asked" | "events"> {
  readonly final: Pick<Final, "messages">;
}

/** G22: the log against all that has happened, and what each reader got against the log. */
export function checkEvents(history: ToldHistory): Violation[] {
  const { events: told } = history;
  if (told === undefined) return [];
  const { logs, readers, webhooks } = told;
  const says: string[] = [];
  for (const [accountId, log] of logs) {
    says.push(...judgeLog(accountId, log), ...judgeHealth(log, told.failingAfter));
    says.push(...judgeTargets(accountId, log, told));
  }
  for (const reader of readers) says.push(...judgeReader(reader, logs.get(reader.accountId) ?? []));
  for (const { accountId, filter, since, ...webhook } of webhooks) {
    const log = logs.get(accountId) ?? [];
    const wanted = log
      .filter((event) => event.position > since && isWanted(filter, event))
      .map(({ eventId }) => eventId);
    says.push(...judgeWebhook({ ...webhook, wanted }));
  }
  return [
    ...says.map((problem): Violation => ({ promise: "G22", messageId: null, says: problem })),
    ...checkMessages(history, told),
  ];
}

/** Each change of a target by a caller is told, in the order in which they were made. */
function judgeTargets(
  accountId: string,
  log: readonly LoggedEvent[],
  { targetChanges = new Map() }: ToldEvents,
): string[] {
  const changes = log.filter(
    ({ type }) =>
      type.startsWith("target.") && type !== "target.failing" && type !== "target.recovered",
  );
  return [...targetChanges].flatMap(([name, count]) => {
    const told = changes.filter(({ data }) => `${accountId}/${data.target!.targetId}` === name);
    const isOther = !name.startsWith(`${accountId}/`);
    return isOther || told.length === count
      ? []
      : [`${name} was changed ${count} times, and told of ${told.length} times`];
  });
}

function checkMessages({ asked, final }: ToldHistory, { logs, versions }: ToldEvents): Violation[] {
  const about = new Map<string, LoggedEvent[]>();
  for (const event of [...logs.values()].flat()) {
    const messageId = event.data.message?.messageId;
    if (messageId === undefined) continue;
    const others = about.get(messageId);
    if (others === undefined) about.set(messageId, [event]);
    else others.push(event);
  }
  const answers = answeredChanges(asked);
  const there = [...final.messages].filter(([, kept]) => kept !== null).map(([id]) => id);
  const known = new Set([...there, ...versions.keys(), ...about.keys(), ...answers.keys()]);
  return [...known].flatMap((messageId) => {
    const events = about.get(messageId) ?? [];
    const kept = final.messages.get(messageId);
    const version = versions.get(messageId);
    const problems = judgeMessage(kept ? { ...kept, version } : null, events);
    const own = judgeAnswers(answers.get(messageId) ?? [], events);
    return [...problems, ...own].map((says) => ({ promise: "G22", messageId, says }) as const);
  });
}
