type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

interface HeaderList {
  get(name: string): string | null;
}

/** Web `Headers`, what `node:http` calls `IncomingHttpHeaders`, or any record of names and values. */
export type HeadersLike = HeaderList | HeaderRecord;

/** Null if there is none. The name is in lower case; the names of a record may have any case. */
export function headerOf(headers: HeadersLike, name: string): string | null {
  if (typeof headers.get === "function") return (headers as HeaderList).get(name);
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  // As HTTP joins a header that is repeated.
  return value == null ? null : [value].flat().join(", ");
}
