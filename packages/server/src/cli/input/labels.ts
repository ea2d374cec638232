import { Option } from "commander";
import { InvalidValue } from "../../config/invalid-value.ts";
import { collect, readOption } from "./read-option.ts";

export interface LabelOptions {
  readonly label?: readonly string[];
}

export function labelOption(description: string): Option {
  return new Option("--label <name=value>", `${description}; repeatable`).argParser(collect);
}

/** The labels that the options name; undefined if there are none. */
export function labelsOf({ label }: LabelOptions): Record<string, string> | undefined {
  if (label === undefined) return undefined;
  const labels = new Map<string, string>();
  for (const text of label) {
    const [name, value] = readOption("--label", text, nameAndValue);
    readOption("--label", name, () => refuseTwice(name, labels));
    labels.set(name, value);
  }
  return Object.fromEntries(labels);
}

function nameAndValue(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidValue(`must look like order=17, not "${text}"`);
  }
  if (!/^[a-z0-9._-]{1,40}$/.test(name)) {
    throw new InvalidValue(
      `has the name "${name}"; write a name with 1 to 40 of the characters a-z 0-9 . _ -`,
    );
  }
  return [name, value];
}

function refuseTwice(name: string, before: ReadonlyMap<string, string>): void {
  if (before.has(name)) throw new InvalidValue(`is given twice for ${name}: leave one out`);
}
