import { connect } from "node:net";
import type { Socket } from "node:net";
import type { Intervened, Intervention, Statement } from "./interventions.ts";
import { ClientMessages } from "./wire/client-messages.ts";
import type { ClientMessage } from "./wire/client-messages.ts";
import { FrameSplitter } from "./wire/frames.ts";

export interface RelayOptions {
  readonly host: string;
  readonly port: number;
  /** Decides what happens to a statement that has just arrived. Null leaves it alone. */
  readonly intervene: (statement: Statement) => Intervention | null;
  readonly onIntervened: (intervened: Intervened) => void;
  readonly onVanish: () => void;
}

/** If the sender never closes, a statement that waits for the close arrives after this time. */
const longestWaitForCloseMs = 15_000;

/**
 * One connection of a client to the database, relayed message by message. Whatever the client sent before
 * its close is delivered before the close, however late, as on a real network.
 */
export class RelayedConnection {
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #options: RelayOptions;
  readonly #messages = new ClientMessages();
  readonly #answers = new FrameSplitter(() => true);
  readonly #waiting: ClientMessage[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Functions that end the interventions under way. */
  readonly #ends = new Set<() => void>();
  #heldAnswers: Buffer[] | null = null;
  #isHolding = false;
  #isNearClosed = false;
  #isSilent = false;
  #whenNearClosed = (): void => {};
  #whenAnswered = (): void => {};
  #transaction: string[] | null = null;
  #lastName = "";

  constructor(near: Socket, options: RelayOptions, onClosed: () => void) {
    this.#near = near;
    this.#options = options;
    this.#far = connect(options.port, options.host);
    for (const socket of [near, this.#far]) socket.setNoDelay(true).on("error", () => {});
    near.on("data", (bytes) => {
      this.#waiting.push(...this.#messages.read(bytes));
      this.#pass();
    });
    near.on("close", () => {
      this.#isNearClosed = true;
      this.#whenNearClosed();
      this.#pass();
    });
    this.#far.on("data", (bytes) => this.#answer(bytes));
    this.#far.on("close", () => {
      if (!this.#isSilent) near.destroy();
      for (const timer of this.#timers) clearTimeout(timer);
      for (const end of this.#ends) end();
      onClosed();
    });
  }

  /** From now on neither side hears from the other, and the database's side stays open. */
  fallSilent(): void {
    this.#isSilent = true;
    this.#far.pause();
    this.#near.pause();
  }

  close(): void {
    this.#near.destroy();
    this.#far.destroy();
  }

  #pass(): void {
    while (!this.#isHolding && !this.#isSilent) {
      const message = this.#waiting.shift();
      if (message === undefined) break;
      if (message.kind === "encryption request") this.#near.write("N");
      else if (message.kind === "other") this.#far.write(message.bytes);
      else this.#passStatement(message.name, message.bytes);
    }
    const isDone = this.#isNearClosed && this.#waiting.length === 0 && !this.#isHolding;
    if (isDone && !this.#isSilent) this.#far.end();
  }

  #passStatement(name: string, bytes: Buffer): void {
    const statement = { name, transaction: this.#transaction && [...this.#transaction] };
    const intervention = this.#options.intervene(statement);
    const deliver = (): void => {
      this.#lastName = name;
      this.#far.write(bytes);
    };
    if (intervention === null) return deliver();
    const at = Date.now();
    const end = (): void => {
      if (!this.#ends.delete(end)) return;
      this.#options.onIntervened({ statement, intervention, at, until: Date.now() });
    };
    this.#ends.add(end);
    const deliverLate = (): void => {
      deliver();
      end();
      this.#isHolding = false;
      this.#pass();
    };
    switch (intervention.kind) {
      case "hold":
        this.#isHolding = true;
        this.#after(intervention.forMs, deliverLate);
        break;
      case "deliver after close": {
        this.#isHolding = true;
        const patience = this.#after(longestWaitForCloseMs, () => this.#whenNearClosed());
        this.#whenNearClosed = () => {
          this.#whenNearClosed = () => {};
          clearTimeout(patience);
          this.#after(intervention.afterMs, deliverLate);
        };
        if (this.#isNearClosed) this.#whenNearClosed();
        break;
      }
      case "hold answer":
        this.#heldAnswers = [];
        deliver();
        this.#after(intervention.forMs, () => {
          const held = this.#heldAnswers ?? [];
          this.#heldAnswers = null;
          for (const each of held) this.#near.write(each);
          end();
        });
        break;
      case "cut":
        this.#near.resetAndDestroy();
        this.#far.destroy();
        break;
      case "cut answer":
        this.#heldAnswers = [];
        this.#whenAnswered = () => {
          this.#near.resetAndDestroy();
          this.#far.end();
          end();
        };
        deliver();
        break;
      case "vanish":
        if (intervention.isDelivered) deliver();
        this.#options.onVanish();
        end();
    }
  }

  #answer(bytes: Buffer): void {
    if (this.#heldAnswers === null) this.#near.write(bytes);
    else this.#heldAnswers.push(bytes);
    for (const { type, body } of this.#answers.split(bytes)) {
      if (type !== "Z") continue;
      // Ready for the next statement: idle, or in a transaction.
      if (body.toString("latin1") === "I") this.#transaction = null;
      else (this.#transaction ??= []).push(this.#lastName);
      this.#whenAnswered();
    }
  }

  #after(delayMs: number, act: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#isSilent) act();
    }, delayMs);
    this.#timers.add(timer);
    return timer;
  }
}
