/** A target as its capacity is counted. To every other part of the engine the count is read-only. */
export interface CountedTarget {
  inFlight: number;
}

export interface ReservationOptions {
  readonly accountId: string;
  readonly target: CountedTarget;
  readonly size: number;
  /** Gives so many attempts back to the process and to the account. */
  readonly giveBack: (accountId: string, count: number) => void;
}

/**
 * Attempts that one target may begin, taken from the capacity of its account. The claim takes a slot for
 * each message that it brings, then releases the rest. Both the rest and each slot are released once: a
 * second release does nothing.
 */
export class Reservation {
  /** How many attempts were reserved. */
  readonly size: number;
  readonly #options: ReservationOptions;
  #rest: number;
  #isSettled = false;

  constructor(options: ReservationOptions) {
    this.#options = options;
    this.size = options.size;
    this.#rest = options.size;
    options.target.inFlight += options.size;
  }

  /** A slot for one message. A store that claims more than it was asked for is counted in full. */
  take(): Slot {
    if (this.#isSettled) throw new Error("The rest of this reservation has been released already.");
    this.#rest--;
    return new Slot(this.#options);
  }

  /** Gives back what no message has taken. */
  releaseRest(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const { accountId, target, giveBack } = this.#options;
    target.inFlight -= this.#rest;
    giveBack(accountId, this.#rest);
  }
}

/**
 * The right to have one attempt under way. The target is done with it when the attempt ends. The account
 * and the process are done with it later, when the outcome is written.
 */
export class Slot {
  readonly #reserved: ReservationOptions;
  #holds: "target and account" | "account" | "nothing" = "target and account";

  constructor(reserved: ReservationOptions) {
    this.#reserved = reserved;
  }

  /** The attempt has ended: the target bears another one. */
  leaveTarget(): void {
    if (this.#holds !== "target and account") return;
    this.#holds = "account";
    this.#reserved.target.inFlight--;
  }

  /** Nothing of the attempt is left to do. */
  release(): void {
    this.leaveTarget();
    if (this.#holds === "nothing") return;
    this.#holds = "nothing";
    this.#reserved.giveBack(this.#reserved.accountId, 1);
  }
}
