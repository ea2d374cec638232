import type { Behaviour } from "../subject.ts";

export interface Letter {
  readonly messageId: string;
  readonly payload: Uint8Array;
  readonly pin: string | null;
}

/** A mailbox answers word by word. The first word says whether it takes the letter. */
export type Answer = AsyncIterable<string>;

const refusals: Partial<Record<Behaviour, string>> = {
  rejects: "refused",
  "talks-nonsense": "\u0000nonsense",
};

export class Mailbox {
  readonly letters: Letter[] = [];
  readonly #behaviour: Behaviour;
  #firstWordHeard: () => void = () => {};

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  /** Resolves once the target has read the first word of the next answer. */
  outcomeKnown(): Promise<void> {
    return new Promise((resolve) => (this.#firstWordHeard = resolve));
  }

  async *put(letter: Letter): Answer {
    if (this.#behaviour === "never-answers") yield* silence();
    if (this.#behaviour === "vanishes") throw new Error("the mailbox is gone");
    const refusal = refusals[this.#behaviour];
    if (refusal !== undefined) {
      yield refusal;
      return;
    }
    this.letters.push(letter);
    yield "taken";
    this.#firstWordHeard();
    if (this.#behaviour === "accepts-and-stalls") yield* silence();
    while (this.#behaviour === "never-stops-talking") yield "and another thing; ";
  }
}

/** An answer that never comes. */
async function* silence(): Answer {
  yield await new Promise<never>(() => {});
}

/** Holds the mailboxes, in the memory of the test. */
export class PostOffice {
  readonly #mailboxes = new Map<string, Mailbox>();

  find(name: string): Mailbox | undefined {
    return this.#mailboxes.get(name);
  }

  open(name: string, behaviour: Behaviour = "accepts"): Mailbox {
    const mailbox = new Mailbox(behaviour);
    this.#mailboxes.set(name, mailbox);
    return mailbox;
  }
}
