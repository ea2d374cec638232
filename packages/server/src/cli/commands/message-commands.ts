import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import {
  askForMessage,
  namedMessage,
  withKeyInstead,
  type KeyInstead,
} from "../connection/named-message.ts";
import { examples } from "../help/help-text.ts";
import { withoutControls } from "../terminal/aligned.ts";
import { attemptRows, hidesAnswers } from "../print/attempts.ts";
import { messageCard } from "../print/messages.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

const exampleId = "msg_01kq3v9x2eb8fsm4t7w5ch6d0n";

function missing(messageId: string): string {
  return `There is no message ${messageId}.`;
}

const exampleKey = "--target mail --message-key digest-of-4711";

export function addGet(program: Command, surroundings: Surroundings): void {
  const command = withKeyInstead(apiCommand(program, "get [messageId]"))
    .description("show a message, by its id or its key")
    .addHelpText(
      "after",
      examples(
        [`postdate get ${exampleId}`, "its state, its times and its options"],
        [`postdate get ${exampleKey}`, "the pending message that has this key"],
      ),
    )
    .action(async (messageId: string | undefined, options: KeyInstead) => {
      const named = namedMessage(command, messageId, options);
      const { service, show } = connect(command, surroundings);
      const message = await askForMessage(service, named, (messages) =>
        "messageId" in named
          ? messages.get(named.messageId)
          : messages.getByKey(named.targetId, named.key),
      );
      show(message, messageCard);
    });
}

export function addPayload(program: Command, surroundings: Surroundings): void {
  const command = apiCommand(program, "payload <messageId>")
    .description(
      "print the payload of a message: exactly as it was scheduled, with control characters made visible on a terminal",
    )
    .addHelpText("after", examples([`postdate payload ${exampleId} > body`, "into a file"]))
    .action(async (messageId: string) => {
      const { service, json, show, note } = connect(command, surroundings);
      const payload = await service.find(
        ({ messages }) => messages.payload(messageId),
        missing(messageId),
      );
      const { isTTY } = surroundings.stdout;
      // A payload may contain control characters, which a terminal would obey. Files and pipes get
      // every byte.
      show({ messageId, payload }, () => (isTTY === true ? withoutControls(payload) : payload));
      // Stdout gets only the payload. The line break for the prompt goes to stderr.
      if (isTTY === true && !json && !payload.endsWith("\n")) note("");
    });
}

export function addAttempts(program: Command, surroundings: Surroundings): void {
  const command = apiCommand(program, "attempts <messageId>")
    .description("list the attempts to deliver a message, and what the target answered")
    .addHelpText(
      "after",
      examples([
        `postdate attempts ${exampleId}`,
        "when, how long, how it ended, what was answered",
      ]),
    )
    .action(async (messageId: string) => {
      const { service, json, worded, show, note, hint } = connect(command, surroundings);
      const attempts = await service.find(
        ({ messages }) => messages.attempts(messageId),
        missing(messageId),
      );
      if (attempts.length === 0) note("No attempt yet.");
      show({ messageId, attempts }, (shown, look) =>
        attempts.length === 0 ? "" : attemptRows(shown.attempts, look),
      );
      if (!json && worded(attempts, hidesAnswers)) {
        hint("Answers are cut to the width: --json shows all that is stored.");
      }
    });
}
