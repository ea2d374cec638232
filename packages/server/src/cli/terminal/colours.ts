import { styleText } from "node:util";
import type { Output } from "../surroundings/surroundings.ts";

export type Style = "bold" | "dim" | "green" | "red" | "yellow" | "cyan";

export type Paint = (style: Style, text: string) => string;

type Env = Readonly<Record<string, string | undefined>>;

/** Colours on a terminal, unless NO_COLOR (https://no-color.org) is set or the terminal is dumb. */
export function hasColours(output: Output, env: Env): boolean {
  return output.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

export function paintFor(output: Output, env: Env): Paint {
  if (!hasColours(output, env)) return (_style, text) => text;
  return (style, text) => styleText(style, text, { validateStream: false });
}
