import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";

/** Operations do not look up a malformed id: some stores cannot search for such text. */
export const clientIdPattern = /^cli_[0-9a-z]{20}$/;

export const clientNotFound: Problem = { code: codes.misfit, message: "No such client." };
