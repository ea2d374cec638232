import type { Count } from "@postdate/client";
import { counted } from "../terminal/progress.ts";

/** `1,204`, or `100,000 or more`. */
export function countText({ value, exact }: Count): string {
  if (typeof value !== "number") throw new TypeError("a count is a number");
  return exact ? counted(value) : `${counted(value)} or more`;
}
