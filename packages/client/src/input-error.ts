import { PostdateError } from "./errors.ts";

/** An argument or option is wrong. Nothing was sent. */
export class InputError extends PostdateError {
  override name = "InputError";
}

export function check(isRight: unknown, otherwise: string): asserts isRight {
  if (!isRight) throw new InputError(otherwise);
}

/** For the options that are left after the known ones were taken out. A misspelt one would do nothing. */
export function refuseUnknown(options: object): void {
  const [name] = Object.keys(options);
  check(name === undefined, `There is no option ${name}.`);
}
