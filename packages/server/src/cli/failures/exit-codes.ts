/** Scripts can rely on these. A test compares them with the table in `docs/reference/command-line.md`. */
export const exitCodes = {
  done: 0,
  refused: 1,
  usage: 2,
  unreachable: 3,
  notFound: 4,
  /** What shells show for a command that a Ctrl-C has ended. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  0: "done",
  1: "the service refused, the command failed, or you said no",
  2: "wrong usage or invalid settings",
  3: "the service could not be reached",
  4: "no such message, job, schedule, endpoint, target, key, client or account",
  130: "Ctrl-C at a question: nothing was changed",
};

/** One thing that is wrong, in the same form as the errors of the service. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

/** Ends a command. The lines go to stderr, and the code goes to the shell. */
export class CommandFailed extends Error {
  readonly exitCode: ExitCode;
  readonly lines: readonly string[];
  /** The same for programs; empty if the lines say everything. */
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
