import { withoutControls } from "./aligned.ts";

/** JSON as a line or several. It says the same, with characters escaped that a terminal would obey. */
export function jsonText(value: unknown, indent?: number): string {
  return `${withoutControls(JSON.stringify(value, null, indent))}\n`;
}
