import { PostdateError } from "./errors.ts";

/** An argument or option is wrong. Nothing was sent. */
export class InputError extends PostdateError {
  override name = "InputError";
}

/** For the options that are left after the known ones were taken out. A misspelt one would do nothing. */
export function refuseUnknown(options: object): void {
  const [name] = Object.keys(options);
  if (name !== undefined) throw new InputError(`There is no option ${name}.`);
}
