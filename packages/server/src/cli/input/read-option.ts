import { InvalidValue } from "../../config/invalid-value.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";

/** Reads the text of an option. A mistake in it becomes a usage error that names the option. */
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

/** Like `readOption`, but `default` restores the default: null for the service. */
export function readOrDefault<Value>(
  name: string,
  text: string,
  read: (text: string) => Value,
): Value | null {
  return text === "default" ? null : readOption(name, text, read);
}

/** Like `readOption`, but `none` is null. */
export function readOrNone<Value>(
  name: string,
  text: string,
  read: (text: string) => Value,
): Value | null {
  return text === "none" ? null : readOption(name, text, read);
}

/** Collects an option that may be repeated. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}
