import type { Job, JobInput, JobPreview, Postdate } from "@postdate/client";
import type { Command } from "commander";
import { codes } from "../../domain/refusals.ts";
import { connect, type Connection } from "../connection/connection.ts";
import { askAboutTarget, lookUpTarget } from "../connection/look-up-target.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import type { StartOptions } from "../input/job-options.ts";
import { interrupted, openPrompt, type Prompt } from "../input/prompt.ts";
import type { Remark } from "../input/remark.ts";
import { previewText, questionText } from "../print/job-preview.ts";
import { nounOf } from "../print/job-words.ts";
import { jobCard } from "../print/jobs.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { awaitInterrupts } from "./interrupts.ts";
import { failureOfJob, warningsAbout } from "./outcome.ts";
import { watchJob, type WatchOptions } from "./watch-job.ts";

export interface JobToRun {
  readonly command: Command;
  readonly surroundings: Surroundings;
  readonly job: JobInput;
  readonly options: StartOptions;
  /** How times were understood. */
  readonly understood?: readonly Remark[];
  /** If the job is more than these changes: how it begins, and what to ask. It begins without messages, too. */
  readonly instead?: {
    readonly start: (postdate: Postdate) => Promise<Job>;
    readonly question: string;
  };
}

/** Shows what a job would change, asks, starts it and watches it. */
export async function runJob(toRun: JobToRun): Promise<void> {
  const { command, surroundings, job, options, understood = [], instead } = toRun;
  const connection = connect(command, surroundings);
  const { service, show, hint, explain } = connection;
  explain(understood);
  const { idempotencyKey } = options;
  const { targetId } = job.filter;
  const ask = <Answer>(call: (postdate: Postdate) => Promise<Answer>): Promise<Answer> =>
    targetId === undefined ? service.ask(call) : askAboutTarget(service, targetId, call);

  const preview = await ask(({ jobs }) => jobs.preview(job));
  const isEmpty = preview.count === 0 && preview.exact;
  // A misspelt name must not look like a target without messages.
  if (isEmpty && targetId !== undefined) await lookUpTarget(service, targetId);
  if (options.dryRun === true) return show(preview, (it, look) => previewText(job, it, look));
  if (isEmpty && instead === undefined) {
    hint(`No ${nounOf(job.action)} matches: nothing was started.`);
    return show(preview, () => "");
  }

  const prompt = openPrompt(surroundings.stdin, surroundings.stderr);
  const start = (): Promise<Job> =>
    ask(instead?.start ?? (({ jobs }) => jobs.create(job, { idempotencyKey }))).catch(nameJob);
  try {
    // Without a message there is nothing to lose.
    if (!isEmpty) await agree(toRun, preview, { connection, prompt });
    if (options.detach === true) return showStarted(await start(), connection);
    const total = totalOf(job, preview);
    await watchToTheEnd(start, { connection, surroundings, prompt, total });
  } finally {
    await prompt.close();
  }
}

/** Shows the messages to a person, who must agree unless the options say so. */
async function agree(
  { surroundings, job, options, instead }: JobToRun,
  preview: JobPreview,
  { connection: { json, worded }, prompt }: { connection: Connection; prompt: Prompt },
): Promise<void> {
  const { stdin, stderr } = surroundings;
  const asks = options.yes !== true;
  const isForPerson = !json || (asks && stdin.isTTY === true);
  if (isForPerson) stderr.write(worded(preview, (it, look) => previewText(job, it, look)));
  if (!asks) return;
  const question = instead?.question ?? worded(preview, (it) => questionText(job, it));
  if (stdin.isTTY !== true) {
    throw new CommandFailed(
      exitCodes.usage,
      `${question} There is no terminal to ask, so nothing was changed.`,
      "Add --yes to start, or --dry-run to see what would change.",
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

function totalOf(
  { maxMessages = Infinity }: JobInput,
  { count, exact }: JobPreview,
): number | null {
  if (maxMessages <= count) return maxMessages;
  return exact && count > 0 ? count : null;
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
