/** The part of a target that capacity counts. All other parts of the engine only read the count. */
export interface CountedTarget {
  inFlight: number;
}

export interface ReservationOptions {
  readonly accountId: string;
  readonly target: CountedTarget;
  readonly size: number;
  /** Gives this many attempts back to the process and to the account. */
  readonly giveBack: (accountId: string, count: number) => void;
}

/**
 * Attempts that one target may begin, taken from the capacity of its account. The claim takes a slot
 * for each message, then releases the rest. Each slot and the rest are released once: a second release
 * does nothing.
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

  /**
   * Takes a slot for one message. If the store claims more than it was asked for, each message is
   * counted.
   */
  take(): Slot {
    if (this.#isSettled) throw new Error("The rest of this reservation has been released already.");
    this.#rest--;
    return new Slot(this.#options);
  }

  /** Gives back what no message has used. */
  releaseRest(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const { accountId, target, giveBack } = this.#options;
    target.inFlight -= this.#rest;
    giveBack(accountId, this.#rest);
  }
}

/**
 * The right to have one attempt running. The target's count drops when the attempt ends. The counts of
 * the account and the process drop later, when the outcome is recorded.
 */
export class Slot {
  readonly #reserved: ReservationOptions;
  #holds: "target and account" | "account" | "nothing" = "target and account";

  constructor(reserved: ReservationOptions) {
    this.#reserved = reserved;
  }

  /** The attempt has ended: the target may have another one. */
  leaveTarget(): void {
    if (this.#holds !== "target and account") return;
    this.#holds = "account";
    this.#reserved.target.inFlight--;
  }

  /** The attempt is finished and recorded. */
  release(): void {
    this.leaveTarget();
    if (this.#holds === "nothing") return;
    this.#holds = "nothing";
    this.#reserved.giveBack(this.#reserved.accountId, 1);
  }
}
