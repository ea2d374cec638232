/** An empty text is no limit. */
export function isLimit(text: string): boolean {
  return /^\d{0,15}$/.test(text.trim());
}

export function limitOf(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}
