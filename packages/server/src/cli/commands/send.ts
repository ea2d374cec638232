import type { Message, MessageInput, ScheduledMessage } from "@postdate/client";
import type { Command } from "commander";
import { followMessage } from "../connection/follow-message.ts";
import { apiCommand, connect } from "../connection/connection.ts";
import {
  deliveryTimeOf,
  withDeliveryTime,
  type DeliveryTimeOptions,
} from "../input/delivery-time.ts";
import { messageKeyOf, withMessageKey, type MessageKeyOptions } from "../input/message-key.ts";
import {
  flexFlag,
  messageOptionsOf,
  withMessageFlags,
  type MessageFlags,
} from "../input/message-options.ts";
import { notAfterOf, withNotAfter } from "../input/not-after.ts";
import { zoneOf } from "../input/zone-option.ts";
import { codes } from "../../domain/refusals.ts";
import { examples } from "../help/help-text.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { askAboutTarget } from "../connection/look-up-target.ts";
import { keyOutcomeText } from "../print/key-outcome.ts";
import { messageCard } from "../print/messages.ts";
import { timeBeside } from "../terminal/relative-time.ts";
import { readPayload } from "../input/read-payload.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { Service } from "../connection/service.ts";

interface SendOptions extends DeliveryTimeOptions, MessageFlags, MessageKeyOptions {
  readonly notAfter?: string;
  readonly file?: string;
  readonly idempotencyKey?: string;
  readonly wait?: boolean;
}

export function addSend(program: Command, surroundings: Surroundings): void {
  const { clock, timers, stdin } = surroundings;
  const command = withNotAfter(withDeliveryTime(apiCommand(program, "send <targetId> [payload]")))
    .description("schedule a message; without --in or --at it is due now")
    .option("--file <path>", "take the payload from a file")
    .option("--idempotency-key <key>", "sending again with the same key makes no second message")
    .option("--wait", "wait until it is delivered, dead-lettered or cancelled");
  withMessageKey(withMessageFlags(command).addOption(flexFlag()))
    .addHelpText(
      "after",
      examples(
        ['postdate send dev "hello" --in 5s --wait', "deliver in five seconds, and watch"],
        ['postdate send billing --file invoice.json --at "tomorrow 9:00"', "from a file"],
        ["date | postdate send dev -", "from stdin, at once"],
        [
          'postdate send dev "lunch" --at "tomorrow noon" --not-after 13:00 --label order=17',
          "not at all if it cannot be delivered by one; find it by its order",
        ],
        [
          'postdate send dev "digest" --message-key digest --quiet 10m --max-wait 1h',
          "once, ten minutes after the last of these, at the latest in an hour",
        ],
      ),
    )
    .action(async (targetId: string, argument: string | undefined, options: SendOptions) => {
      const { service, show, note, tell, worded, hint, explain } = connect(command, surroundings);
      if (argument === "-" && options.headerFile === "-") {
        command.error("error: stdin is either the payload or the headers: put one into a file");
      }
      const payload = await readPayload(command, { argument, file: options.file, stdin });
      const { idempotencyKey } = options;
      const wanted = messageKeyOf(options);
      const { when = { delayMs: 0 }, time, due, remarks } = deliveryTimeOf(options, surroundings);
      const dueTime = time + (wanted.debounce?.quietMs ?? 0);
      const { bound, understood } = notAfterOf(options, dueTime, surroundings);
      const given = await messageOptionsOf(options, stdin);
      // What has the key may decide when the message is due, so that only the answer tells.
      const dueLines = due.filter(({ isSurprise }) => isSurprise || wanted.key === undefined);
      explain([...dueLines, ...remarks, ...understood]);
      const message: unknown = {
        targetId,
        ...(wanted.debounce === undefined && when),
        payload,
        ...wanted,
        ...bound,
        ...given,
      };
      const scheduled = await askAboutTarget(service, targetId, ({ messages }) =>
        // The flags know their fields, and the service checks them.
        messages.schedule(message as MessageInput, { idempotencyKey }),
      ).catch(adviseOnConflict);
      const zone = zoneOf(options, surroundings).forOutput;
      const outcome = (shown: ScheduledMessage): string =>
        keyOutcomeText(shown, { mode: wanted.onConflict, now: clock.now(), zone });
      if (wanted.key !== undefined) hint(worded(scheduled, outcome));
      if (options.wait !== true) return show(scheduled, messageCard);

      const nextDue = (message: Message): string =>
        timeBeside(message.nextDeliveryTime, clock.now());
      tell(scheduled, (shown) => `Scheduled ${shown.messageId}, due ${nextDue(shown)}`);
      if (await isPaused(service, targetId)) {
        note(
          `The target ${targetId} is paused: nothing is delivered until \`postdate target resume ${targetId}\`.`,
        );
      }
      const stopping = new AbortController();
      const stopListening = surroundings.onStopSignal(() => stopping.abort());
      const ended = await followMessage(scheduled, {
        service,
        clock,
        timers,
        signal: stopping.signal,
        onChange: (message) =>
          tell(
            message,
            (shown) =>
              `Failed attempts so far: ${shown.deliveryFailureCount}; next ${nextDue(shown)}`,
          ),
      }).finally(stopListening);
      if (ended === undefined) throw worded(scheduled, stoppedWaiting);
      show(ended, messageCard);
      if (ended.state !== "DELIVERED") throw worded(ended, notDelivered);
    });
}

/** The service names the message that has the key. This says what the command can do about it. */
function adviseOnConflict(error: unknown): never {
  const isTaken =
    error instanceof CommandFailed &&
    error.problems.some(({ code }) => code === codes.messageKeyTaken);
  if (!isTaken) throw error;
  const advice =
    "--on-conflict keep leaves that message as it is, --on-conflict replace puts this one in its place.";
  throw new CommandFailed(error.exitCode, ...error.lines, advice).because(error.problems);
}

function stoppedWaiting({ messageId }: Message): CommandFailed {
  return new CommandFailed(
    exitCodes.refused,
    "Stopped waiting. The message itself goes on:",
    `\`postdate get ${messageId}\` shows it, \`postdate cancel ${messageId}\` cancels it.`,
  );
}

function notDelivered({ messageId, state }: Message): CommandFailed {
  const lines = [`Not delivered: the message is ${state}.`];
  if (state === "DEAD_LETTER") lines.push(`postdate attempts ${messageId} says why.`);
  return new CommandFailed(exitCodes.refused, ...lines);
}

/** A key that may send messages may not be allowed to read targets. */
async function isPaused(service: Service, targetId: string): Promise<boolean> {
  try {
    const target = await service.ask(({ targets }) => targets.get(targetId));
    return target?.paused ?? false;
  } catch (error) {
    if (error instanceof CommandFailed) return false;
    throw error;
  }
}
