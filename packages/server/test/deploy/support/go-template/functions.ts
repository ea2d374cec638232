import { stringify } from "yaml";

export type TemplateFunction = (...values: unknown[]) => unknown;

/** What Go's templates count as false. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === "object") return Object.keys(value).length === 0;
  return value === "" || value === 0 || value === false;
}

/** As Go prints it. */
export function printed(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "object") throw new Error(`nothing to print: ${JSON.stringify(value)}`);
  return `${value as string | number | boolean}`;
}

const indent = (count: unknown, text: unknown): string =>
  printed(text)
    .split("\n")
    .map((line) => " ".repeat(Number(count)) + line)
    .join("\n");

/** The functions of Go's text/template, of Sprig and of Helm that the chart uses. Others are unknown on purpose. */
export const functions: Readonly<Record<string, TemplateFunction>> = {
  // text/template
  and: (...values) => values.find(isEmpty) ?? values.at(-1),
  or: (...values) => values.find((value) => !isEmpty(value)) ?? values.at(-1),
  not: (value) => isEmpty(value),
  eq: (one, ...others) => others.includes(one),
  ne: (one, other) => one !== other,
  gt: (one, other) => Number(one) > Number(other),
  printf: (format, ...values) => {
    let next = 0;
    return printed(format).replaceAll(/%[sdv]/g, () => printed(values[next++]));
  },
  // Sprig
  default: (fallback, value) => (isEmpty(value) ? fallback : value),
  quote: (value) => (value === undefined || value === null ? "" : JSON.stringify(printed(value))),
  int: (value) => Math.trunc(Number(value)),
  trunc: (length, text) => printed(text).slice(0, Number(length)),
  trimSuffix: (suffix, text) =>
    printed(text).endsWith(printed(suffix))
      ? printed(text).slice(0, printed(text).length - printed(suffix).length)
      : text,
  contains: (part, text) => printed(text).includes(printed(part)),
  replace: (from, to, text) => printed(text).replaceAll(printed(from), printed(to)),
  nindent: (count, text) => `\n${indent(count, text)}`,
  dict: (...pairs) =>
    Object.fromEntries(
      Array.from({ length: pairs.length / 2 }, (_, index) => [
        pairs[2 * index],
        pairs[2 * index + 1],
      ]),
    ),
  // Helm
  toYaml: (value) => stringify(value, { lineWidth: 0 }).trimEnd(),
  required: (message, value) => {
    if (value === undefined || value === null || value === "") throw new Error(printed(message));
    return value;
  },
};
