/** What the service takes as messages a second. */
export function isRate(text: string): boolean {
  const rate = Number(text);
  return Number.isInteger(rate) && rate >= 1 && rate <= 10_000;
}

export function rateProblem(text: string): string | null {
  return isRate(text) ? null : "A whole number from 1 to 10,000";
}
