import type { Job } from "@postdate/client";
import { codes } from "../../domain/refusals.ts";
import type { Connection } from "../connection/connection.ts";
import { CommandFailed } from "../failures/exit-codes.ts";
import { confirmed } from "../input/confirmed.ts";
import type { RunOptions } from "../input/job-options.ts";
import { openPrompt, type Prompt } from "../input/prompt.ts";
import { jobCard } from "../print/jobs.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { awaitInterrupts } from "./interrupts.ts";
import { failureOfJob, warningsAbout } from "./outcome.ts";
import { watchJob, type WatchOptions } from "./watch-job.ts";

export interface JobToBegin {
  readonly connection: Connection;
  readonly surroundings: Surroundings;
  readonly options: RunOptions;
  /** What it would do, and the question about it; null: there is nothing to ask. */
  readonly agreement: Agreement | null;
  readonly start: () => Promise<Job>;
  /** How much it has to do; null: nobody has counted. */
  readonly total: number | null;
}

interface Agreement {
  readonly shown: string;
  readonly question: string;
}

/** Asks, starts a job and watches it. */
export async function beginJob(job: JobToBegin): Promise<void> {
  const { connection, surroundings, options, agreement, total } = job;
  const prompt = openPrompt(surroundings.stdin, surroundings.stderr);
  const start = (): Promise<Job> => job.start().catch(nameJob);
  try {
    if (agreement !== null) await agree(job, agreement, prompt);
    if (options.detach === true) return showStarted(await start(), connection);
    await watchToTheEnd(start, { connection, surroundings, prompt, total });
  } finally {
    await prompt.close();
  }
}

/** Shows to a person what the job would do, who must agree unless the options say so. */
async function agree(
  { connection, surroundings, options }: JobToBegin,
  { shown, question }: Agreement,
  prompt: Prompt,
): Promise<void> {
  const { stdin, stderr } = surroundings;
  const asks = options.yes !== true;
  const isForPerson = !connection.json || (asks && stdin.isTTY === true);
  if (isForPerson) stderr.write(shown);
  if (!asks) return;
  const advice = "Add --yes to start, or --dry-run to see what would change.";
  await confirmed({ question, advice, prompt, surroundings });
}

function showStarted(job: Job, { show, hint, worded }: Connection): void {
  show(job, jobCard);
  hint(worded(job, ({ jobId }) => `\`postdate jobs watch ${jobId}\` watches it.`));
}

/** Fails unless the job is done. A Ctrl-C that comes while the job begins counts once its id is known. */
export async function watchToTheEnd(
  begin: () => Promise<Job>,
  options: Omit<WatchOptions, "interrupts">,
): Promise<void> {
  const { show, worded, note }: Connection = options.connection;
  const interrupts = awaitInterrupts(options.surroundings);
  try {
    const ended = await watchJob(await begin(), { ...options, interrupts });
    show(ended, jobCard);
    const failure = worded(ended, failureOfJob);
    if (failure !== undefined) throw failure;
    for (const line of worded(ended, warningsAbout)) note(line);
  } finally {
    interrupts.release();
  }
}

/** The service names the job that is in the way. This says what the command line can do about it. */
function nameJob(error: unknown): never {
  const problem =
    error instanceof CommandFailed
      ? error.problems.find(({ code }) => code === codes.targetHasJob)
      : undefined;
  const [jobId] = /\bjob_[0-9a-z]+/.exec(problem?.message ?? "") ?? [];
  if (jobId === undefined || !(error instanceof CommandFailed)) throw error;
  const advice = `\`postdate jobs show ${jobId}\` shows it, \`postdate jobs stop ${jobId}\` ends it.`;
  throw new CommandFailed(error.exitCode, ...error.lines, advice).because(error.problems);
}
