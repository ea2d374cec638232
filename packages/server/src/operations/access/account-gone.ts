import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";

/** The account was removed while this call was under way, so its credential is no longer valid. */
export const accountGone: Problem = {
  code: codes.notAuthenticated,
  message: "The account that this credential belonged to was removed.",
};
