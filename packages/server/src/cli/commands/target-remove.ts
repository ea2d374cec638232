import type { Command } from "commander";
import { codes } from "../../domain/refusals.ts";
import { apiCommand, connect } from "../connection/connection.ts";
import { askAboutTarget } from "../connection/look-up-target.ts";
import { CommandFailed } from "../failures/exit-codes.ts";
import { examples } from "../help/help-text.ts";
import { withRunOptions, type RunOptions } from "../input/job-options.ts";
import { runJob } from "../jobs/run-job.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface RemoveOptions extends RunOptions {
  readonly cancelMessages?: boolean;
}

export function addTargetRemove(target: Command, surroundings: Surroundings): void {
  const command = apiCommand(target, "remove <targetId>").option(
    "--cancel-messages",
    "cancel its scheduled messages first, as a job",
  );
  withRunOptions(command)
    .description("remove a target that has no scheduled messages, or cancel these first")
    .addHelpText(
      "after",
      examples(
        ["postdate target remove billing", "its past messages stay"],
        ["postdate target remove billing --cancel-messages", "shows the scheduled ones and asks"],
      ),
    )
    .action(async (targetId: string, options: RemoveOptions) => {
      if (options.cancelMessages === true) {
        const job = { action: "cancel" as const, filter: { targetId } };
        const instead = {
          start: ({ targets }) => targets.remove(targetId, { messages: "cancel" }),
          question: `Cancel all scheduled messages of ${targetId}, and remove it?`,
        } satisfies Parameters<typeof runJob>[0]["instead"];
        return runJob({ command, surroundings, job, options, instead });
      }
      refuseWithoutJob(command, options);
      const { service, show } = connect(command, surroundings);
      const answer = await askAboutTarget(service, targetId, ({ targets }) =>
        targets.remove(targetId),
      ).catch((error: unknown) => adviseOnMessages(error, targetId));
      show(answer, () => `Removed ${targetId}\n`);
    });
}

/** The service names what its API can do about it. This says what the command can. */
function adviseOnMessages(error: unknown, targetId: string): never {
  const hasMessages =
    error instanceof CommandFailed &&
    error.problems.some(({ code }) => code === codes.targetHasMessages);
  if (!hasMessages) throw error;
  const advice = `\`postdate target remove ${targetId} --cancel-messages\` shows them, asks, and cancels them first.`;
  throw new CommandFailed(error.exitCode, ...error.lines, advice).because(error.problems);
}

function refuseWithoutJob(command: Command, { dryRun, detach }: RunOptions): void {
  const given = dryRun === true ? "--dry-run" : detach === true ? "--detach" : undefined;
  if (given !== undefined) command.error(`error: ${given} goes with --cancel-messages`);
}
