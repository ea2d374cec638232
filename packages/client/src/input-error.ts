import { PostdateError } from "./errors.ts";

/** An argument or option is wrong. Nothing was sent. */
export class InputError extends PostdateError {
  override name = "InputError";
}
