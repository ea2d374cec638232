import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import type { Input, Output } from "../surroundings/surroundings.ts";

export interface Prompt {
  /** The line that is typed; `suggestion` if it is empty. */
  ask(question: string, suggestion: string): Promise<string>;
  /** Like `ask`, but the terminal does not show what is typed. */
  askSecretly(question: string): Promise<string>;
  /** Whether the answer is yes. Everything else is no, and what was typed before the question is no answer. */
  confirm(question: string): Promise<boolean>;
  /** The word whose first letter, or all of it, is the answer; undefined for everything else. As `confirm`. */
  choose<Word extends string>(question: string, words: readonly Word[]): Promise<Word | undefined>;
  /** What is piped in. Far more than a key is refused. */
  readAll(): Promise<string>;
  /** Lets go of stdin. Otherwise the process would wait for more. */
  close(): Promise<void>;
}

const longestInput = 16_384;
const ctrlC = "\u0003";
const ctrlD = "\u0004";
const ctrlU = "\u0015";
const erase = new Set(["\u007f", "\b"]);

/** Asks the person at the terminal. Questions go to stderr, because stdout is for data. */
export function openPrompt(stdin: Input, stderr: Output): Prompt {
  const chunks = stdin[Symbol.asyncIterator]();
  let waiting = "";
  let isReading = false;

  /** Undefined at the end of the input. */
  const nextCharacter = async (): Promise<string | undefined> => {
    while (waiting === "") {
      isReading = true;
      const { done, value } = await chunks.next().finally(() => (isReading = false));
      if (done === true) return undefined;
      waiting = Buffer.from(value as Uint8Array).toString();
    }
    const [character = ""] = waiting;
    waiting = waiting.slice(character.length);
    return character;
  };

  const readLine = async (): Promise<string> => {
    let line = "";
    for (;;) {
      const character = await nextCharacter();
      const isStop = character === ctrlC || (character === ctrlD && line === "");
      if (character === undefined || isStop) {
        throw new CommandFailed(exitCodes.refused, "Stopped: nothing was changed.");
      }
      if (character === "\r" || character === "\n" || character === ctrlD) return line.trim();
      if (erase.has(character)) line = line.slice(0, -1);
      else line = character === ctrlU ? "" : line + character;
    }
  };

  const readAnswer = async (question: string): Promise<string> => {
    waiting = "";
    const typedAhead = (stdin.isTTY === true && (await stdin.discardTyped?.())) || "";
    // The terminal makes no signal of a Ctrl-C while that is read.
    if (typedAhead.includes(ctrlC)) throw interrupted();
    stderr.write(`${question} `);
    return (await readLine()).toLowerCase();
  };

  return {
    async ask(question, suggestion) {
      stderr.write(`${question} [${suggestion}]: `);
      return (await readLine()) || suggestion;
    },
    async askSecretly(question) {
      stdin.setRawMode?.(true);
      try {
        stderr.write(`${question} (not shown): `);
        return await readLine();
      } finally {
        stdin.setRawMode?.(false);
        stderr.write("\n");
      }
    },
    async confirm(question) {
      return ["y", "yes"].includes(await readAnswer(`${question} [y/N]`));
    },
    async choose(question, words) {
      const answer = await readAnswer(question);
      return words.find((word) => answer === word || answer === word[0]);
    },
    async readAll() {
      let text = "";
      for (;;) {
        const character = await nextCharacter();
        if (character === undefined) return text;
        text += character;
        if (text.length > longestInput) {
          throw new CommandFailed(
            exitCodes.usage,
            "Stdin holds more than a key: pipe only the key.",
          );
        }
      }
    },
    async close() {
      // Whoever reads gets no answer any more, and the iterator would wait for it.
      if (isReading) stdin.destroy?.();
      else await chunks.return?.();
    },
  };
}

/** Ctrl-C at a question. */
export function interrupted(): CommandFailed {
  return new CommandFailed(exitCodes.interrupted, "Interrupted: nothing was changed.");
}
