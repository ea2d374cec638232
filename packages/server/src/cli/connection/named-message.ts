import type { Message, Messages } from "@postdate/client";
import type { Command } from "commander";
import { codes } from "../../domain/refusals.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { lookUpTarget } from "./look-up-target.ts";
import type { Service } from "./service.ts";

export interface KeyInstead {
  readonly target?: string;
  readonly messageKey?: string;
}

/** A message by its id, or the pending one of a target that has a key. */
export type NamedMessage =
  | { readonly messageId: string }
  | { readonly targetId: string; readonly key: string };

/** Lets a command name a message by its key. */
export function withKeyInstead(command: Command): Command {
  return command
    .option("--target <targetId>", "with --message-key, instead of an id: whose message")
    .option("--message-key <key>", "the pending message that has this key");
}

/** For a command that can also mean many messages of the target. */
export function withKeyOrTarget(command: Command): Command {
  return command
    .option("--target <targetId>", "instead of an id: the messages of this target")
    .option("--message-key <key>", "with --target: only the pending message that has this key");
}

export function namedMessage(
  command: Command,
  messageId: string | undefined,
  { target, messageKey }: KeyInstead,
): NamedMessage {
  const byKey = target !== undefined || messageKey !== undefined;
  if (messageId !== undefined) {
    if (byKey) command.error("error: give either an id, or --target and --message-key");
    return { messageId };
  }
  if (target !== undefined && messageKey !== undefined) {
    return { targetId: target, key: messageKey };
  }
  if (messageKey !== undefined) command.error("error: say whose key it is, with --target");
  if (target !== undefined) {
    command.error("error: say which key, with --message-key (--key is the API key)");
  }
  const takesMany = command.options.some(({ long }) => long === "--label");
  const many = takesMany ? ", or many of them, with --target, --schedule or --label" : "";
  return command.error(
    `error: name the message, by its id or with --target and --message-key${many}`,
  );
}

/** Asks for the message. If there is none, the failure says whether its target exists. */
export async function askForMessage(
  service: Service,
  named: NamedMessage,
  call: (messages: Messages) => Promise<Message | null>,
): Promise<Message> {
  try {
    const found = await service.ask(({ messages }) => call(messages));
    if (found !== null) return found;
  } catch (error) {
    const isMissing =
      error instanceof CommandFailed &&
      error.problems.some(({ code }) => code === codes.messageNotFound);
    if (!isMissing || "messageId" in named) throw error;
  }
  if ("targetId" in named) await lookUpTarget(service, named.targetId);
  throw new CommandFailed(exitCodes.notFound, missing(named));
}

function missing(named: NamedMessage): string {
  return "messageId" in named
    ? `There is no message ${named.messageId}.`
    : `No pending message of ${named.targetId} has the key ${named.key}. It may have ended meanwhile.`;
}
