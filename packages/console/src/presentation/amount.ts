import type { Count } from "@postdate/client";

/** `1,204`, or `100,000+` if there were at least so many, or `…` while nothing is counted yet. */
export function amount({ value, exact }: Pick<Count, "value" | "exact">): string {
  if (value === 0 && !exact) return "…";
  return value.toLocaleString("en") + (exact ? "" : "+");
}

/** `1 attempt`, `1,204 attempts`. */
export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
