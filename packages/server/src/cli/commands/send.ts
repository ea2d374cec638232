import type { Message } from "@postdate/client";
import type { Command } from "commander";
import { followMessage } from "../connection/follow-message.ts";
import { apiCommand, connect } from "../connection/connection.ts";
import {
  deliveryTimeOf,
  withDeliveryTime,
  type DeliveryTimeOptions,
} from "../input/delivery-time.ts";
import { examples } from "../help/help-text.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { askAboutTarget } from "../connection/look-up-target.ts";
import { messageCard } from "../print/messages.ts";
import { timeBeside } from "../terminal/relative-time.ts";
import { readPayload } from "../input/read-payload.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { Service } from "../connection/service.ts";

interface SendOptions extends DeliveryTimeOptions {
  readonly file?: string;
  readonly idempotencyKey?: string;
  readonly wait?: boolean;
}

export function addSend(program: Command, surroundings: Surroundings): void {
  const { clock, timers, stdin } = surroundings;
  const command = withDeliveryTime(apiCommand(program, "send <targetId> [payload]"))
    .description("schedule a message; without --in or --at it is due now")
    .option("--file <path>", "take the payload from a file")
    .option("--idempotency-key <key>", "sending again with the same key makes no second message")
    .option("--wait", "wait until it is delivered, dead-lettered or cancelled")
    .addHelpText(
      "after",
      examples(
        ['postdate send dev "hello" --in 5s --wait', "deliver in five seconds, and watch"],
        ['postdate send billing --file invoice.json --at "tomorrow 9:00"', "from a file"],
        ["date | postdate send dev -", "from stdin, at once"],
      ),
    )
    .action(async (targetId: string, argument: string | undefined, options: SendOptions) => {
      const { service, show, note, tell, worded, hint } = connect(command, surroundings);
      const payload = await readPayload(command, { argument, file: options.file, stdin });
      const { idempotencyKey } = options;
      const { when = { delayMs: 0 }, understood } = deliveryTimeOf(options, surroundings);
      for (const line of understood) hint(line);
      const scheduled = await askAboutTarget(service, targetId, ({ messages }) =>
        messages.schedule({ targetId, ...when, payload }, { idempotencyKey }),
      );
      if (options.wait !== true) return show(scheduled, messageCard);

      const due = (message: Message): string => timeBeside(message.nextDeliveryTime, clock.now());
      tell(scheduled, (shown) => `Scheduled ${shown.messageId}, due ${due(shown)}`);
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
            (shown) => `Failed attempts so far: ${shown.deliveryFailureCount}; next ${due(shown)}`,
          ),
      }).finally(stopListening);
      if (ended === undefined) throw worded(scheduled, stoppedWaiting);
      show(ended, messageCard);
      if (ended.state !== "DELIVERED") throw worded(ended, notDelivered);
    });
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
