import { CommandFailed } from "../failures/exit-codes.ts";

const asTheServiceSays = "with the new URL, or {} for none";

/** What the service says of headers with a new address, in options. For programs it stays as the service said it. */
export function withHeaderOptions(error: unknown): unknown {
  if (!(error instanceof CommandFailed)) return error;
  const lines = error.lines.map((line) =>
    line.includes(asTheServiceSays)
      ? line
          .replace(asTheServiceSays, "with --header, or give --no-headers for none")
          .replace(/ \(headers\)$/, "")
      : line,
  );
  return new CommandFailed(error.exitCode, ...lines).because(error.problems);
}
