/** A constant of the API as people write it: `CONNECTION_FAILED` is "connection failed". */
export function asWords(constant: string): string {
  return constant.toLowerCase().replaceAll("_", " ");
}
