import type { Job, Jobs } from "@postdate/client";
import type { Command } from "commander";
import { codes } from "../../domain/refusals.ts";
import { apiCommand, connect } from "../connection/connection.ts";
import type { Service } from "../connection/service.ts";
import { showPages, withPaging, type PagingOptions } from "../connection/show-pages.ts";
import { CommandFailed } from "../failures/exit-codes.ts";
import { examples } from "../help/help-text.ts";
import { parseRate } from "../input/job-options.ts";
import { openPrompt } from "../input/prompt.ts";
import { readOption } from "../input/read-option.ts";
import { readJob } from "../jobs/follow-job.ts";
import { warningsAbout } from "../jobs/outcome.ts";
import { watchToTheEnd } from "../jobs/begin-job.ts";
import { jobCard, jobRows } from "../print/jobs.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

const exampleId = "job_01kq3v9x2eb8fsm4t7w5ch6d0n";

export function addJobs(program: Command, surroundings: Surroundings): void {
  const jobs = program
    .command("jobs")
    .description(
      "the work on many messages that redrive, cancel, reschedule, shift and schedule backfill start",
    )
    .addHelpText(
      "after",
      examples(
        ["postdate jobs list", "the latest twenty"],
        [`postdate jobs watch ${exampleId}`, "its progress, until it ends"],
        [`postdate jobs rate ${exampleId} 10`, "slower"],
      ),
    );
  addJobsList(jobs, surroundings);
  addJobsShow(jobs, surroundings);
  addJobsWatch(jobs, surroundings);
  addJobsVerb(jobs, surroundings, "pause", "let it change nothing until it is resumed");
  addJobsVerb(jobs, surroundings, "resume", "let it go on");
  addJobsVerb(jobs, surroundings, "stop", "end it: what it has changed stays changed");
  addJobsRate(jobs, surroundings);
}

function addJobsList(jobs: Command, surroundings: Surroundings): void {
  const command = withPaging(apiCommand(jobs, "list"))
    .description("list the jobs, the newest first")
    .addHelpText("after", examples(["postdate jobs list --all", "every one that is kept"]))
    .action(async (options: PagingOptions) => {
      await showPages({
        connection: connect(command, surroundings),
        list: (postdate, paging) => postdate.jobs.list(paging),
        options,
        stdout: surroundings.stdout,
        none: () => "No jobs: redrive, cancel, reschedule, shift and schedule backfill start them.",
        rows: jobRows,
      });
    });
}

function addJobsShow(jobs: Command, surroundings: Surroundings): void {
  const command = apiCommand(jobs, "show <jobId>")
    .description("show a job and how far it has come")
    .addHelpText("after", examples([`postdate jobs show ${exampleId}`, "what it does, and did"]))
    .action(async (jobId: string) => {
      const { service, show } = connect(command, surroundings);
      show(await readJob(service, jobId), jobCard);
    });
}

function addJobsWatch(jobs: Command, surroundings: Surroundings): void {
  const command = apiCommand(jobs, "watch <jobId>")
    .description(
      "show the progress of a job until it has ended or is paused; fails unless it is done",
    )
    .addHelpText("after", examples([`postdate jobs watch ${exampleId}`, "Ctrl-C asks what to end"]))
    .action(async (jobId: string) => {
      const connection = connect(command, surroundings);
      const prompt = openPrompt(surroundings.stdin, surroundings.stderr);
      const read = (): Promise<Job> => readJob(connection.service, jobId);
      try {
        await watchToTheEnd(read, { connection, surroundings, prompt });
      } finally {
        await prompt.close();
      }
    });
}

/** The commands that change a job and show it as it is afterwards. */
function addJobsVerb(
  jobs: Command,
  surroundings: Surroundings,
  verb: "pause" | "resume" | "stop",
  description: string,
): void {
  const command = apiCommand(jobs, `${verb} <jobId>`)
    .description(description)
    .addHelpText("after", examples([`postdate jobs ${verb} ${exampleId}`, description]))
    .action(async (jobId: string) => {
      const { service, show, note, worded } = connect(command, surroundings);
      const changed = await change(service, jobId, (all) => all[verb](jobId));
      show(changed, jobCard);
      for (const line of worded(changed, warningsAbout)) note(line);
    });
}

function addJobsRate(jobs: Command, surroundings: Surroundings): void {
  const command = apiCommand(jobs, "rate <jobId> <perSecond>")
    .description("change how many messages a second it may change, 1 to 10000")
    .addHelpText("after", examples([`postdate jobs rate ${exampleId} 200`, "faster, from now on"]))
    .action(async (jobId: string, given: string) => {
      const rate = readOption("The rate", given, parseRate);
      const { service, show } = connect(command, surroundings);
      show(await change(service, jobId, (all) => all.setRate(jobId, rate)), jobCard);
    });
}

/** The service's error for a missing job is written for programs. */
async function change(
  service: Service,
  jobId: string,
  call: (jobs: Jobs) => Promise<Job>,
): Promise<Job> {
  try {
    return await service.ask(({ jobs }) => call(jobs));
  } catch (error) {
    const isMissing =
      error instanceof CommandFailed &&
      error.problems.some(({ code }) => code === codes.jobNotFound);
    if (isMissing) await readJob(service, jobId);
    throw error;
  }
}
