import type { Command } from "commander";
import { formatTime } from "../../domain/times.ts";
import { path, type Api } from "../connection/api.ts";
import { awaitOutcome } from "../connection/await-outcome.ts";
import { apiCommand, connect } from "../connection/connection.ts";
import {
  deliveryTimeOf,
  withDeliveryTime,
  type DeliveryTimeOptions,
} from "../input/delivery-time.ts";
import { examples } from "./examples.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { withTargetNames } from "../connection/look-up-target.ts";
import { messageCard } from "../print/messages.ts";
import { timeBeside } from "../terminal/relative-time.ts";
import { readPayload } from "../input/read-payload.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { WireMessage, WireTarget } from "../connection/wire.ts";

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
      const { api, show, note, hint } = connect(command, surroundings);
      const payload = await readPayload(command, { argument, file: options.file, stdin });
      const key = options.idempotencyKey;
      const { deliveryTime = formatTime(clock.now()), understood } = deliveryTimeOf(
        options,
        surroundings,
      );
      for (const line of understood) hint(line);
      const scheduled = await withTargetNames(api, targetId, () =>
        api.call<WireMessage>({
          method: "POST",
          path: "/messages",
          headers: key === undefined ? {} : { "idempotency-key": key },
          body: { targetId, deliveryTime, payload },
        }),
      );
      if (options.wait !== true) return show(scheduled, (look) => messageCard(scheduled, look));

      const due = (message: WireMessage): string =>
        timeBeside(message.nextDeliveryTime, clock.now());
      note(`Scheduled ${scheduled.messageId}, due ${due(scheduled)}`);
      if (await isPaused(api, targetId)) {
        note(
          `The target ${targetId} is paused: nothing is delivered until \`postdate target resume ${targetId}\`.`,
        );
      }
      const ended = await awaitOutcome(scheduled, {
        api,
        clock,
        timers,
        onChange: (message) =>
          note(`Failed attempts so far: ${message.deliveryFailureCount}; next ${due(message)}`),
      });
      show(ended, (look) => messageCard(ended, look));
      if (ended.state !== "DELIVERED") {
        const lines = [`Not delivered: the message is ${ended.state}.`];
        if (ended.state === "DEAD_LETTER")
          lines.push(`postdate attempts ${ended.messageId} says why.`);
        throw new CommandFailed(exitCodes.refused, ...lines);
      }
    });
}

/** A key that may send messages may not be allowed to read targets. */
async function isPaused(api: Api, targetId: string): Promise<boolean> {
  try {
    return (await api.call<WireTarget>({ method: "GET", path: path("targets", targetId) })).paused;
  } catch (error) {
    if (error instanceof CommandFailed) return false;
    throw error;
  }
}
