import { withoutControls } from "./aligned.ts";

/** JSON on one line or several, with characters escaped that a terminal would obey. */
export function jsonText(value: unknown, indent?: number): string {
  return `${withoutControls(JSON.stringify(value, null, indent))}\n`;
}
