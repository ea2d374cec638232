import type { Command } from "commander";
import { codes } from "../../domain/refusals.ts";
import { apiCommand, connect } from "../connection/connection.ts";
import { askAboutTarget } from "../connection/look-up-target.ts";
import type { Service } from "../connection/service.ts";
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
        const { service } = connect(command, surroundings);
        return runJob({ command, surroundings, job, options, instead }).catch((error: unknown) =>
          adviseOnUse(error, service, targetId),
        );
      }
      refuseWithoutJob(command, options);
      const { service, show } = connect(command, surroundings);
      const answer = await askAboutTarget(service, targetId, ({ targets }) =>
        targets.remove(targetId),
      ).catch((error: unknown) => adviseOnUse(error, service, targetId));
      show(answer, () => `Removed ${targetId}\n`);
    });
}

/** The service names what its API can do about it. This says what the command can. */
async function adviseOnUse(error: unknown, service: Service, targetId: string): Promise<never> {
  const isUsed =
    error instanceof CommandFailed &&
    error.problems.some(({ code }) => code === codes.targetHasMessages);
  if (!isUsed) throw error;
  const advice = (await hasSchedules(service, targetId))
    ? `\`postdate schedule list --target ${targetId}\` shows its schedules: remove them, or \`postdate schedule update\` them with another --target.`
    : `\`postdate target remove ${targetId} --cancel-messages\` shows them, asks, and cancels them first.`;
  throw new CommandFailed(error.exitCode, ...error.lines, advice).because(error.problems);
}

/** A key that may remove targets may read schedules. Otherwise the service's own words must do. */
async function hasSchedules(service: Service, targetId: string): Promise<boolean> {
  try {
    const first = await service.ask(({ schedules }) =>
      schedules.list({ targetId, limit: 1 }).page(),
    );
    return first.items.length > 0;
  } catch (error) {
    if (error instanceof CommandFailed) return false;
    throw error;
  }
}

function refuseWithoutJob(command: Command, { dryRun, detach }: RunOptions): void {
  const given = dryRun === true ? "--dry-run" : detach === true ? "--detach" : undefined;
  if (given !== undefined) command.error(`error: ${given} goes with --cancel-messages`);
}
