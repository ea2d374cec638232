import { InvalidValue } from "../../config/invalid-value.ts";
import { nearNames } from "../../config/near-names.ts";
import { eventTypes, isTypePattern } from "../../domain/events/event-types.ts";

/** All types of each noun. */
export const allTypes: readonly string[] = [
  ...new Set(eventTypes.map((type) => `${type.split(".", 1)[0]}.*`)),
];

/** The types that a text means: one, those of a noun, or all. Also as events have them. */
export function readEventTypes(text: string): readonly string[] {
  if (text === "*") return allTypes;
  const type = text.replace(/^postdate\.(.+)\.v1$/, "$1");
  if (isTypePattern(type)) return [type];
  const meant = meantBy(type.toLowerCase());
  const hint =
    meant.length === 0
      ? "Give a type such as message.dead_lettered, all of a noun such as message.*, or * for all."
      : `Did you mean ${meant.join(" or ")}?`;
  throw new InvalidValue(`${JSON.stringify(text)} is no type of event. ${hint}`);
}

const mostSuggested = 3;

function meantBy(text: string): readonly string[] {
  const all: readonly string[] = [...allTypes, ...eventTypes];
  const begin = text.replace(/\.?\*?$/, "");
  if (allTypes.includes(`${begin}.*`)) return [`${begin}.*`];
  const withIt = all.filter((type) => type.endsWith(`.${text}`) || type.startsWith(begin));
  const meant = begin !== "" && withIt.length > 0 ? withIt : nearNames(text, all);
  return meant.slice(0, mostSuggested);
}
