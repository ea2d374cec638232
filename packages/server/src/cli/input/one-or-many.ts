import type { Command } from "commander";

/** The options that only a job has, by their names. */
const ofMany = new Set([
  ...["--schedule", "--label", "--key-prefix", "--min-time", "--max-time"],
  ...["--rate", "--max", "--note", "--idempotency-key", "--dry-run", "--yes", "--detach"],
]);

interface Naming {
  readonly target?: string;
  readonly messageKey?: string;
}

/**
 * Whether the command is about many messages: those of a target or with a label. An id, or a target with a key,
 * is one message, and then the options of a job are a mistake.
 */
export function namesMany(
  command: Command,
  messageId: string | undefined,
  { target, messageKey }: Naming,
): boolean {
  if (messageId?.includes("=")) command.error(`error: ${optionInstead(messageId)}`);
  const given = command.options
    .filter((option) => command.getOptionValue(option.attributeName()) !== undefined)
    .map(({ long }) => long ?? "");
  const job = given.find((name) => ofMany.has(name));
  if (messageId === undefined && messageKey === undefined) {
    return job !== undefined || target !== undefined;
  }
  if (job === undefined) return false;
  const one = messageId === undefined ? "--message-key" : "the id";
  return command.error(`error: ${job} is for many messages: leave it out, or ${one}`);
}

/** What to type in place of a word that names many messages. */
export function optionInstead(word: string): string {
  return word.includes("=")
    ? `for the messages that have a label, type --label ${word}`
    : `for the messages of a target, type --target ${word}`;
}
