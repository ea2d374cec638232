import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { WantedTime } from "../../domain/wanted-time.ts";
import { readGivenTime } from "./given-time.ts";

/** A field that failed its schema is undefined, like one that was left out. */
export interface GivenWantedTime {
  readonly deliveryTime?: string | undefined;
  readonly delayMs?: number | undefined;
}

/**
 * Reads the one of the two that is given. Adds to `problems` unless it is exactly one, and in front: a
 * long list is cut at its end.
 */
export function readWantedTime(
  { deliveryTime, delayMs }: GivenWantedTime,
  problems: Problem[],
): WantedTime | undefined {
  if (delayMs === undefined) {
    if (deliveryTime === undefined && !isExplained(problems)) problems.unshift(noTime);
    return readGivenTime(deliveryTime, "deliveryTime", problems);
  }
  if (deliveryTime === undefined) return { delayMs };
  readGivenTime(deliveryTime, "deliveryTime", problems);
  problems.unshift(twoTimes);
  return undefined;
}

/** Whether a time was given in a wrong form, or no object that could have fields. */
function isExplained(problems: readonly Problem[]): boolean {
  const [first] = problems;
  if (first !== undefined && first.field === undefined) return true;
  return problems.some(({ field }) => field === "deliveryTime" || field === "delayMs");
}

const noTime: Problem = {
  code: codes.invalidRequest,
  message: "deliveryTime is missing. Give it, or give delayMs instead.",
  field: "deliveryTime",
};

const twoTimes: Problem = {
  code: codes.invalidRequest,
  message: "delayMs and deliveryTime are both given. Leave one of them out.",
  field: "delayMs",
};
