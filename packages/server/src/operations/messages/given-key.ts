import type { WantedKey } from "../../domain/message-key.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { WantedTime } from "../../domain/wanted-time.ts";
import type { GivenOptions } from "./given-options.ts";
import { readWantedTime } from "./wanted-time.ts";
import type { GivenWantedTime } from "./wanted-time.ts";

/** If a caller does not say how long a debounced message may wait at most. */
const defaultMaxWait = 10;

/** The key that a message is to have, or undefined. Adds to `problems` what does not fit together. */
export function readWantedKey(
  { key, onConflict, debounce }: GivenOptions,
  problems: Problem[],
): WantedKey | undefined {
  if (problems.some(isOf("key", "onConflict", "debounce"))) return undefined;
  if (key === undefined) {
    if (onConflict !== undefined) problems.push(needsKey("onConflict"));
    if (debounce !== undefined) problems.push(needsKey("debounce"));
    return undefined;
  }
  const isDebounced = onConflict === "debounce";
  if (isDebounced && debounce === undefined) problems.push(noQuietTime);
  if (!isDebounced && debounce !== undefined) problems.push(notDebounced);
  if (!isDebounced || debounce === undefined) {
    return { key, onConflict: onConflict ?? "reject", maxWaitMs: null };
  }
  const { quietMs, maxWaitMs = defaultMaxWait * quietMs } = debounce;
  if (maxWaitMs < quietMs) problems.push(waitsTooShort);
  return { key, onConflict, maxWaitMs };
}

/** When to deliver it: after the quiet time if it is debounced, otherwise as the caller says. */
export function readTime(
  given: GivenWantedTime & { readonly options?: GivenOptions | undefined },
  problems: Problem[],
): WantedTime | undefined {
  const { debounce, onConflict } = given.options ?? {};
  const isUntimed = given.deliveryTime === undefined && given.delayMs === undefined;
  if (debounce === undefined) {
    const isFaulty = onConflict === "debounce" || problems.some(isOf("debounce"));
    // The caller hears what is wrong with debounce, and needs no other time.
    return isUntimed && isFaulty ? undefined : readWantedTime(given, problems);
  }
  if (given.deliveryTime !== undefined) problems.push(timeBesideDebounce("deliveryTime"));
  if (given.delayMs !== undefined) problems.push(timeBesideDebounce("delayMs"));
  return { delayMs: debounce.quietMs };
}

/** Whether a problem is about one of these fields, or about a part of it. */
function isOf(...names: readonly string[]) {
  return ({ field = "" }: Problem): boolean =>
    names.some((name) => field === name || field.startsWith(`${name}.`));
}

function problem(field: string, message: string): Problem {
  return { code: codes.invalidRequest, message, field };
}

function needsKey(field: string): Problem {
  return problem(field, `${field} says what to do about a key. Give a key too, or leave it out.`);
}

function timeBesideDebounce(field: string): Problem {
  return problem(field, `Leave out ${field}: debounce sets the time.`);
}

const noQuietTime = problem(
  "debounce",
  'onConflict is "debounce". Give debounce with a quietMs too.',
);

const notDebounced = problem("debounce", 'Set onConflict to "debounce", or leave out debounce.');

const waitsTooShort = problem(
  "debounce.maxWaitMs",
  "debounce.maxWaitMs must not be less than quietMs.",
);
