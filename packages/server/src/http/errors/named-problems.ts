import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";

/**
 * How many problems one answer lists, the entry that counts the rest included. A longer list does not
 * help the caller, and one that grows with the body costs every caller.
 */
const mostOfRequest = 50;
const mostOfItem = 10;
/** For all items of a batch together. After that, each item still gets its first problem. */
const mostOfItems = 500;

/** The first problems of a request, and how many more there are. */
export function namedProblems(problems: readonly Problem[]): readonly Problem[] {
  return firstOf(problems, mostOfRequest);
}

/** The same for the items of a batch, in order. Every refused item gets at least one reason. */
export function createItemNaming(): (problems: readonly Problem[]) => readonly Problem[] {
  let left = mostOfItems;
  return (problems) => {
    const named = firstOf(problems, Math.max(2, Math.min(mostOfItem, left)));
    left -= named.length;
    return named;
  };
}

/** Whether an answer would list no further problem of this item. */
export function isEnough(ofItem: number, ofItems: number): boolean {
  return ofItem >= mostOfItem || (ofItem > 0 && ofItems >= mostOfItems);
}

function firstOf(problems: readonly Problem[], most: number): readonly Problem[] {
  if (problems.length <= most) return problems;
  const named = problems.slice(0, most - 1);
  const more = problems.length - named.length;
  const message = `${more.toLocaleString("en")} more problems are not listed. Correct the listed ones, and send it again.`;
  return [...named, { code: codes.invalidRequest, message }];
}
