import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import {
  askForMessage,
  namedMessage,
  withKeyOrTarget,
  type KeyInstead,
} from "../connection/named-message.ts";
import { examples } from "../help/help-text.ts";
import { filterOf, withFilter, type FilterOptions } from "../input/job-filter.ts";
import { limitsOf, withJobOptions, type JobOptions } from "../input/job-options.ts";
import { namesMany } from "../input/one-or-many.ts";
import { runJob } from "../jobs/run-job.ts";
import { messageCard } from "../print/messages.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface CancelOptions extends KeyInstead, FilterOptions, JobOptions {}

export function addCancel(program: Command, surroundings: Surroundings): void {
  const command = withFilter(withKeyOrTarget(apiCommand(program, "cancel [messageId]")));
  withJobOptions(command, "cancel")
    .description(
      "cancel a message: once this is done, no attempt runs and none will start; or many, as a job",
    )
    .addHelpText(
      "after",
      examples(
        ["postdate cancel msg_01kq3v9x2eb8fsm4t7w5ch6d0n", "if it is still scheduled"],
        [
          "postdate cancel --target mail --message-key digest-of-4711",
          "the pending message that has this key",
        ],
        ["postdate cancel --label order=17", "everything of order 17; shows it and asks first"],
        ["postdate cancel --target mail --max-time 1h", "what is due within the hour"],
      ),
    )
    .action(async (messageId: string | undefined, options: CancelOptions) => {
      if (namesMany(command, messageId, options)) {
        const { filter, understood } = filterOf(command, options, surroundings);
        const job = { action: "cancel" as const, filter, ...limitsOf(options) };
        return runJob({ command, surroundings, job, options, understood });
      }
      const named = namedMessage(command, messageId, options);
      const { service, show } = connect(command, surroundings);
      const message = await askForMessage(service, named, (messages) =>
        "messageId" in named
          ? messages.cancel(named.messageId)
          : messages.cancelByKey(named.targetId, named.key),
      );
      show(message, messageCard);
    });
}
