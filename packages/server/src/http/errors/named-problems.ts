import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";

/** With the entry that says that there are more. An answer that names more helps nobody, and one as long as a body can make it costs everybody. */
const mostOfRequest = 50;
const mostOfItem = 10;
/** All items together; then the first of each. */
const mostOfItems = 500;

/** The first of what is wrong with a request, and whether there is more. */
export function namedProblems(problems: readonly Problem[]): readonly Problem[] {
  return firstOf(problems, mostOfRequest);
}

/** The same for one item after the other of a batch: each that is refused is told why. */
export function createItemNaming(): (problems: readonly Problem[]) => readonly Problem[] {
  let left = mostOfItems;
  return (problems) => {
    const named = firstOf(problems, Math.max(2, Math.min(mostOfItem, left)));
    left -= named.length;
    return named;
  };
}

/** Whether no more of an item's problems would be named, where so many of all items are known. */
export function isEnough(ofItem: number, ofItems: number): boolean {
  return ofItem >= mostOfItem || (ofItem > 0 && ofItems >= mostOfItems);
}

function firstOf(problems: readonly Problem[], most: number): readonly Problem[] {
  if (problems.length <= most) return problems;
  const named = problems.slice(0, most - 1);
  const more = problems.length - named.length;
  const message = `${more.toLocaleString("en")} more things are wrong with it. Correct what is named here, and send it again.`;
  return [...named, { code: codes.invalidRequest, message }];
}
