/** What a script can rely on. `docs/reference/command-line.md` has the same table; a test compares. */
export const exitCodes = {
  done: 0,
  refused: 1,
  usage: 2,
  unreachable: 3,
  notFound: 4,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  0: "done",
  1: "the service refused, or the command failed",
  2: "wrong usage or invalid settings",
  3: "the service could not be reached",
  4: "no such message, target, key, client or account",
};

/** One thing that is wrong, in the shape that the service gives its errors. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

/** Ends a command: the lines go to stderr, the code to the shell. */
export class CommandFailed extends Error {
  readonly exitCode: ExitCode;
  readonly lines: readonly string[];
  /** The same for programs; empty where the lines have no more to them than their words. */
  problems: readonly Problem[] = [];

  constructor(exitCode: ExitCode, ...lines: readonly string[]) {
    super(lines.join("\n"));
    this.name = "CommandFailed";
    this.exitCode = exitCode;
    this.lines = lines;
  }

  because(problems: readonly Problem[]): this {
    this.problems = problems;
    return this;
  }
}
