import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { interrupted, type Prompt } from "./prompt.ts";

export interface ToConfirm {
  readonly question: string;
  /** What to type where nobody can be asked. */
  readonly advice: string;
  readonly prompt: Prompt;
  readonly surroundings: Surroundings;
}

/** Fails unless the person at the terminal agrees. */
export async function confirmed({
  question,
  advice,
  prompt,
  surroundings,
}: ToConfirm): Promise<void> {
  if (surroundings.stdin.isTTY !== true) {
    throw new CommandFailed(
      exitCodes.usage,
      `${question} There is no terminal to ask, so nothing was changed.`,
      advice,
    );
  }
  if (await unlessInterrupted(prompt.confirm(question), surroundings)) return;
  throw new CommandFailed(exitCodes.refused, "Nothing was changed.");
}

/** Without a listener, Ctrl-C would end the process without a word. */
async function unlessInterrupted<Answer>(
  answer: Promise<Answer>,
  { onStopSignal, stderr }: Surroundings,
): Promise<Answer> {
  const signal = Promise.withResolvers<never>();
  const release = onStopSignal(() => {
    // The line of the question is still open.
    stderr.write("\n");
    signal.reject(interrupted());
  });
  try {
    return await Promise.race([answer, signal.promise]);
  } finally {
    release();
  }
}
