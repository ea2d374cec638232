import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";

/** An id that no client can have is not looked for; not every store could. */
export const clientIdPattern = /^cli_[0-9a-z]{20}$/;

export const clientNotFound: Problem = { code: codes.misfit, message: "No such client." };
