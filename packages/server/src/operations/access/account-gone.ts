import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";

/** The account was removed while its last calls were under way: their credential is none any more. */
export const accountGone: Problem = {
  code: codes.notAuthenticated,
  message: "The account that this credential belonged to was removed.",
};
