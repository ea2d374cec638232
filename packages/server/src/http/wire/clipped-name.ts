/** In characters. Longer than any name that the API has. */
const longestEcho = 100;

/** Shortens a name that the caller chose, so that an answer that repeats it stays short. */
export function clippedName(name: string): string {
  return name.length <= longestEcho ? name : `${name.slice(0, longestEcho).toWellFormed()}…`;
}
