/** Longer than any name that means something here. */
const longestEcho = 100;

/** A caller's own name for something, as an answer may repeat it: it does not grow with what was sent. */
export function clippedName(name: string): string {
  return name.length <= longestEcho ? name : `${name.slice(0, longestEcho).toWellFormed()}…`;
}
