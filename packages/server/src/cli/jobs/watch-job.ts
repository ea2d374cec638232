import type { Job } from "@postdate/client";
import { codes } from "../../domain/refusals.ts";
import type { Connection } from "../connection/connection.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import type { Prompt } from "../input/prompt.ts";
import { showJob } from "../print/job-progress.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { followJob } from "./follow-job.ts";
import type { Interrupts } from "./interrupts.ts";

export interface WatchOptions {
  readonly connection: Connection;
  readonly surroundings: Surroundings;
  readonly prompt: Prompt;
  readonly interrupts: Interrupts;
  /** How many messages it will meet. Without it, at most as many as the job may. */
  readonly total?: number | null;
}

/**
 * Watches a job until it has ended or is paused. The first Ctrl-C on a terminal asks whether to stop or pause the
 * job too; a second one, and every signal without a terminal, ends the watching alone.
 */
export async function watchJob(job: Job, options: WatchOptions): Promise<Job> {
  const { connection, surroundings, prompt, interrupts } = options;
  const total = options.total ?? job.maxMessages;
  const { service, json } = connection;
  const { stdin, stderr, timers } = surroundings;
  const leaving = new AbortController();
  const isShown = !json && job.state === "RUNNING";
  const screen = isShown
    ? connection.worded(job, (it) => showJob(surroundings, it, total))
    : undefined;
  let isAsking = false;
  let failure: unknown;

  const askWhatToEnd = async (): Promise<void> => {
    isAsking = true;
    screen?.clear();
    // Without an answer, such as at the end of the input, only the watching ends.
    const answer = await prompt.choose(question, ["stop", "pause"]).catch(() => undefined);
    isAsking = false;
    if (answer === undefined) return leaving.abort();
    await service.ask(({ jobs }) => jobs[answer](job.jobId)).catch(passIfEnded);
  };
  interrupts.hear((signal) => {
    if (isAsking || signal !== "SIGINT" || stdin.isTTY !== true) return leaving.abort();
    askWhatToEnd().catch((error: unknown) => {
      failure = error;
      leaving.abort();
    });
  });
  try {
    const ended = await followJob(job, {
      service,
      timers,
      signal: leaving.signal,
      onLook: (latest) => {
        if (!isAsking && screen) connection.worded(latest, (it) => screen.update(it));
      },
    });
    if (failure !== undefined) throw failure;
    if (ended === undefined) throw stoppedWatching(job);
    return ended;
  } catch (error) {
    throw error instanceof CommandFailed ? withWayBack(error, job) : error;
  } finally {
    screen?.clear();
    // The line of the question is still open.
    if (isAsking) stderr.write("\n");
  }
}

const question =
  "Stop the job (s), or pause it to go on later (p)? Otherwise it goes on, and only the watching ends. [s/p/N]";

/** The next look at the job shows how it ended. */
function passIfEnded(error: unknown): void {
  const hasEnded =
    error instanceof CommandFailed && error.problems.some(({ code }) => code === codes.jobEnded);
  if (!hasEnded) throw error;
}

function stoppedWatching({ jobId }: Job): CommandFailed {
  return new CommandFailed(
    exitCodes.refused,
    "Stopped watching. The job itself goes on:",
    `\`postdate jobs watch ${jobId}\` watches it again, \`postdate jobs stop ${jobId}\` ends it.`,
  );
}

/** A service that is away for a moment goes on with the job when it is back. */
function withWayBack(error: CommandFailed, { jobId }: Job): CommandFailed {
  if (error.exitCode !== exitCodes.unreachable) return error;
  const wayBack = `The job itself goes on: \`postdate jobs watch ${jobId}\` watches it again.`;
  return new CommandFailed(error.exitCode, ...error.lines, wayBack).because(error.problems);
}
