import type { Job, JobInput, JobPreview, Postdate } from "@postdate/client";
import type { Command } from "commander";
import { connect } from "../connection/connection.ts";
import { lookUpSchedule } from "../connection/look-up-schedule.ts";
import { askAboutTarget, lookUpTarget } from "../connection/look-up-target.ts";
import type { StartOptions } from "../input/job-options.ts";
import type { Remark } from "../input/remark.ts";
import { previewText, questionText } from "../print/job-preview.ts";
import { nounOf } from "../print/job-words.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { beginJob } from "./begin-job.ts";

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
  const { service, show, hint, explain, worded } = connection;
  explain(understood);
  const { idempotencyKey } = options;
  const { targetId, scheduleId } = job.filter;
  const ask = <Answer>(call: (postdate: Postdate) => Promise<Answer>): Promise<Answer> =>
    targetId === undefined ? service.ask(call) : askAboutTarget(service, targetId, call);

  const preview = await ask(({ jobs }) => jobs.preview(job));
  const isEmpty = preview.count === 0 && preview.exact;
  // A misspelt name must not look like one without messages.
  if (isEmpty && targetId !== undefined) await lookUpTarget(service, targetId);
  if (isEmpty && scheduleId !== undefined) await lookUpSchedule(service, scheduleId);
  if (options.dryRun === true) return show(preview, (it, look) => previewText(job, it, look));
  if (isEmpty && instead === undefined) {
    hint(`No ${nounOf(job.action)} matches: nothing was started.`);
    return show(preview, () => "");
  }

  await beginJob({
    ...{ connection, surroundings, options },
    // Without a message there is nothing to lose.
    agreement: isEmpty
      ? null
      : {
          shown: worded(preview, (it, look) => previewText(job, it, look)),
          question: instead?.question ?? worded(preview, (it) => questionText(job, it)),
        },
    start: () => ask(instead?.start ?? (({ jobs }) => jobs.create(job, { idempotencyKey }))),
    total: totalOf(job, preview),
  });
}

function totalOf(
  { maxMessages = Infinity }: JobInput,
  { count, exact }: JobPreview,
): number | null {
  if (maxMessages <= count) return maxMessages;
  return exact && count > 0 ? count : null;
}
