import { setTimeout as sleep } from "node:timers/promises";
import type { Due } from "../history/history.ts";
import { inMs, optionsOf } from "./drawn-options.ts";
import type { Round } from "./seeded-callers.ts";

/** Callers of one moment want the same few keys. Later ones want others, so that no key has too many calls to judge. */
const keyForMs = 1_200;
const keysAtOnce = 2;

export async function contend(round: Round): Promise<void> {
  const { calls, chance, targetId } = round;
  await sleep(chance.between(0, 250));
  const moment = Math.floor(Date.now() / keyForMs);
  const messageKey = `${moment}/${chance.between(1, keysAtOnce)}`;
  const dueAt = inMs(chance.between(0, 500));
  if (chance.happens(0.3)) {
    const call = chance.between(0, 2);
    if (call === 0) await calls.getByKey(targetId, messageKey);
    else if (call === 1) await calls.cancelByKey(targetId, messageKey);
    else await calls.rescheduleByKey(targetId, messageKey, dueAt);
    return;
  }
  const messageId = await scheduleKeyed(round, messageKey, dueAt);
  if (messageId === undefined || chance.happens(0.8)) return;
  await sleep(chance.between(0, 500));
  if (chance.happens(0.5)) await calls.cancel(messageId);
  else await calls.reschedule(messageId, inMs(chance.between(0, 500)));
}

const modes = ["reject", "keep", "replace", "replace", "replaceKeepTime", "debounce"] as const;

/** Repeats a call whose answer was lost, unless the caller gives up. A refusal is final. */
async function scheduleKeyed(
  { calls, chance, key, targetId, signal }: Round,
  messageKey: string,
  wanted: Due,
): Promise<string | undefined> {
  const onConflict = chance.pick(modes)!;
  const isDebounced = onConflict === "debounce";
  const dueAt = isDebounced ? { delayMs: chance.between(1, 300) } : wanted;
  const maxWaitMs = isDebounced ? chance.between(300, 900) : null;
  const options = chance.happens(0.2) ? optionsOf(chance) : {};
  const wantedKey = { key: messageKey, onConflict, maxWaitMs };
  while (!signal.aborted) {
    const { answer } = await calls.schedule(key, targetId, dueAt, options, wantedKey);
    if (answer.kind === "ok") return answer.message.messageId;
    if (answer.kind === "refused" || chance.happens(0.3)) return undefined;
    await sleep(50);
  }
  return undefined;
}
