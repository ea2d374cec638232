import type { JobInput } from "@postdate/client";
import type { Command } from "commander";
import { formatTime } from "../../domain/times.ts";
import { apiCommand, connect } from "../connection/connection.ts";
import {
  askForMessage,
  namedMessage,
  withKeyOrTarget,
  type KeyInstead,
} from "../connection/named-message.ts";
import { examples } from "../help/help-text.ts";
import {
  deliveryTimeOf,
  withDeliveryTime,
  type DeliveryTime,
  type DeliveryTimeOptions,
} from "../input/delivery-time.ts";
import { filterOf, withFilter, type FilterOptions } from "../input/job-filter.ts";
import { limitsOf, withJobOptions, type JobOptions } from "../input/job-options.ts";
import { changedNotAfterOf, withNotAfter } from "../input/not-after.ts";
import { namesMany } from "../input/one-or-many.ts";
import type { Remark } from "../input/remark.ts";
import { runJob } from "../jobs/run-job.ts";
import { messageCard } from "../print/messages.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface RescheduleOptions extends DeliveryTimeOptions, KeyInstead, FilterOptions, JobOptions {}

export function addReschedule(program: Command, surroundings: Surroundings): void {
  const command = withFilter(
    withKeyOrTarget(
      withNotAfter(withDeliveryTime(apiCommand(program, "reschedule [messageId]"))).option(
        "--no-not-after",
        "remove the time after which it is not delivered",
      ),
    ),
  );
  withJobOptions(command, "reschedule")
    .description(
      "give a message another delivery time; revives dead letters and cancelled ones; or many scheduled ones, as a job",
    )
    .addHelpText(
      "after",
      examples(
        ["postdate reschedule msg_01kq3v9x2eb8fsm4t7w5ch6d0n --in 1h", "an hour from now"],
        [
          'postdate reschedule msg_01kq3v9x2eb8fsm4t7w5ch6d0n --at "friday 17:30" --not-after 18:00',
          "within half an hour, or not at all",
        ],
        [
          "postdate reschedule --target mail --message-key digest-of-4711 --in 1d",
          "the pending message that has this key",
        ],
        [
          'postdate reschedule --label order=17 --at "tomorrow 9:00"',
          "everything of order 17, for the same time; shows it and asks first",
        ],
      ),
    )
    .action(async (messageId: string | undefined, options: RescheduleOptions) => {
      if (namesMany(command, messageId, options)) {
        if (options.notAfter !== undefined) {
          command.error("error: --not-after is for one message: reschedule one, or leave it out");
        }
        const { job, understood } = jobOf(command, options, surroundings);
        return runJob({ command, surroundings, job, options, understood });
      }
      const named = namedMessage(command, messageId, options);
      const { when: given, time, due, remarks } = deliveryTimeOf(options, surroundings);
      const when = given ?? sayWhen(command);
      const { bound, understood } = changedNotAfterOf(options, time, surroundings);
      const { service, show, explain } = connect(command, surroundings);
      explain([...due, ...remarks, ...understood]);
      const newTime = { ...when, ...bound };
      const message = await askForMessage(service, named, (messages) =>
        "messageId" in named
          ? messages.reschedule(named.messageId, newTime)
          : messages.rescheduleByKey(named.targetId, named.key, newTime),
      );
      show(message, messageCard);
    });
}

/** One time for all of them, so that a delay counts from now, by the clock of this machine. */
function jobOf(
  command: Command,
  { zone, ...options }: RescheduleOptions,
  surroundings: Surroundings,
): { job: JobInput; understood: readonly Remark[] } {
  const inZone = zone === undefined ? {} : { zone };
  // The zone may be there for the new time, for the range, or for both.
  const hasRange = options.minTime !== undefined || options.maxTime !== undefined;
  const ofTime = options.at !== undefined || !hasRange ? inZone : {};
  const { when, time, due, remarks } = deliveryTimeOf({ ...options, ...ofTime }, surroundings);
  const ofRange = hasRange ? inZone : {};
  const { filter, understood } = filterOf(command, { ...options, ...ofRange }, surroundings);
  const deliveryTime = deliveryTimeIn(when ?? sayWhen(command), time);
  return {
    job: { action: "reschedule", filter, deliveryTime, ...limitsOf(options) },
    understood: [...understood, ...due, ...remarks],
  };
}

function deliveryTimeIn(when: NonNullable<DeliveryTime["when"]>, time: number): string {
  return "deliveryTime" in when ? when.deliveryTime : formatTime(time);
}

function sayWhen(command: Command): never {
  return command.error("error: say when, with --in or --at");
}
