import type { Count } from "@postdate/client";

/** `1,204`, or `100,000+` if there were at least so many. */
export function amount({ value, exact }: Pick<Count, "value" | "exact">): string {
  return value.toLocaleString("en") + (exact ? "" : "+");
}
