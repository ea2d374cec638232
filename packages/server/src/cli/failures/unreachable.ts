import { CommandFailed, exitCodes } from "./exit-codes.ts";
import { innermostOf, networkTrouble } from "./network-trouble.ts";

/** Says in one sentence why nothing answers at an address. */
export function unreachable(
  url: string,
  error: unknown,
  listener = "postdate serve",
): CommandFailed {
  const trouble = networkTrouble(error) ?? messageOf(innermostOf(error));
  const hint = trouble === "nothing listens there" ? ` Is \`${listener}\` running?` : "";
  return new CommandFailed(exitCodes.unreachable, `Cannot reach ${url}: ${trouble}.${hint}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
