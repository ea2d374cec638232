import { CommanderError } from "commander";
import { InvalidValue } from "../../config/invalid-value.ts";
import { CommandFailed, exitCodes, type ExitCode, type Problem } from "./exit-codes.ts";

/** How a failed command ended. */
export interface Failure {
  readonly exitCode: ExitCode;
  /** For people. */
  readonly lines: readonly string[];
  /** For programs. */
  readonly problems: readonly Problem[];
}

/** The codes of failures that have no code from the service, for programs. */
const codes: Readonly<Record<ExitCode, string>> = {
  0: "done",
  1: "failed",
  2: "usage",
  3: "unreachable",
  4: "not-found",
  130: "interrupted",
};

/** Undefined for a bug. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof CommanderError) return wrongUsage(error);
  if (error instanceof InvalidValue) return plainFailure(exitCodes.usage, [error.message]);
  if (!(error instanceof CommandFailed)) return undefined;
  const { exitCode, lines, problems } = error;
  return problems.length === 0 ? plainFailure(exitCode, lines) : { exitCode, lines, problems };
}

/** On one line, so that programs can tell it from the notes before it. */
export function asJson({ problems }: Failure): string {
  return `${JSON.stringify({ errors: problems })}\n`;
}

function plainFailure(exitCode: ExitCode, lines: readonly string[]): Failure {
  const message = lines.map((line) => line.trim()).join(" ");
  return { exitCode, lines, problems: [{ code: codes[exitCode], message }] };
}

/** Commander has already written this for people. */
function wrongUsage(error: CommanderError): Failure {
  const message = error.message.replace(/^error: /, "").replaceAll("\n", " ");
  return { ...plainFailure(exitCodes.usage, [message]), lines: [] };
}
