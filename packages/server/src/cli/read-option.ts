import { InvalidValue } from "../config/invalid-value.ts";
import { parseTime } from "../domain/times.ts";
import { CommandFailed, exitCodes } from "./exit-codes.ts";

/** Reads an option's text; what is wrong with it becomes a usage error under the option's name. */
export function readOption<Value>(
  name: string,
  text: string,
  read: (text: string) => Value,
): Value {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    const message = `${name} ${error.message}`;
    throw new CommandFailed(exitCodes.usage, message).because([
      { code: "usage", message, field: name },
    ]);
  }
}

/** The same where `default` brings a default back: null, for the service. */
export function readOrDefault<Value>(
  name: string,
  text: string,
  read: (text: string) => Value,
): Value | null {
  return text === "default" ? null : readOption(name, text, read);
}

/** A time that the service will accept, as it was written. */
export function timeText(text: string): string {
  const parsed = parseTime(text);
  if (!parsed.ok) throw new InvalidValue(`is not a time: ${parsed.reason}`);
  return text;
}

/** Collects an option that may be repeated. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}
