import { codes, RequestLimited } from "../../domain/refusals.ts";
import { FairShare } from "../../platform/fair-share.ts";

/** Enough for every process of a caller to listen, and for people with a page open. */
const mostOfAccount = 100;
/** When somebody stops listening is not known, so this is a guess. */
const askAgainMs = 5_000;

export interface ListeningPlacesOptions {
  /** How many there are in this process. */
  readonly places: number;
  /** Called whenever the number changes that is taken. */
  readonly onTaken?: (count: number) => void;
}

export interface ListeningPlace {
  /** May be called again, and does nothing then. */
  giveBack(): void;
}

/**
 * Limits how many streams are open and how many calls wait for events in this process, together. Accounts share
 * the places. An account has at most as many as it leaves free, so the next account always finds one.
 */
export class ListeningPlaces {
  readonly #share: FairShare;
  readonly #ofAccount = new Map<string, number>();
  readonly #onTaken: (count: number) => void;
  #taken = 0;

  constructor({ places, onTaken = () => {} }: ListeningPlacesOptions) {
    this.#share = new FairShare({ limit: places, guaranteed: 0 });
    this.#onTaken = onTaken;
  }

  /** Throws the refusal if the account, or the process, has no more. */
  take(accountId: string): ListeningPlace {
    const place = this.tryTake(accountId);
    if (place === undefined) throw noPlace();
    return place;
  }

  /** Undefined: the account, or the process, has no more. */
  tryTake(accountId: string): ListeningPlace | undefined {
    const held = this.#ofAccount.get(accountId) ?? 0;
    if (held >= mostOfAccount || !this.#share.take(1, held)) return undefined;
    this.#ofAccount.set(accountId, held + 1);
    this.#onTaken(++this.#taken);
    let isTaken = true;
    return {
      giveBack: () => {
        if (isTaken) this.#giveBack(accountId);
        isTaken = false;
      },
    };
  }

  #giveBack(accountId: string): void {
    const left = this.#ofAccount.get(accountId)! - 1;
    if (left === 0) this.#ofAccount.delete(accountId);
    else this.#ofAccount.set(accountId, left);
    this.#share.giveBack(1);
    this.#onTaken(--this.#taken);
  }
}

function noPlace(): RequestLimited {
  return new RequestLimited(askAgainMs, {
    code: codes.tooManyRequests,
    message:
      "This account, or this server, has as many event streams open and calls waiting for events as it may have at once. Close those that nobody reads. To read without waiting, leave waitMs out.",
  });
}
