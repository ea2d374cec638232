import type { FastifyRequest } from "fastify";
import { FairShare } from "../../platform/fair-share.ts";
import { addressBlock } from "./address-block.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** On whose account it is under way; null before that, and once it is answered. */
    holder: Holder | null;
    /** How many bytes of its body count. */
    heldBytes: number;
    holdsLargeBody: boolean;
    /** How many bytes of its answer count until they are sent. */
    answerBytes: number;
    /** Whether an account was found for it, be it that it had no room. */
    isKnown: boolean;
  }
}

/** Those who compete with each other for places, and with nobody else. */
interface Group {
  readonly holders: Map<string, Holder>;
  readonly share: FairShare;
}

/** An account, or an address that strangers come from, and what it has under way. */
interface Holder {
  readonly name: string;
  readonly group: Group;
  readonly isStranger: boolean;
  requests: number;
  smallBodyBytes: number;
  largeBodyBytes: number;
  answerBytes: number;
}

export interface PlacesOptions {
  readonly maxRequests: number;
  /** How many bytes of bodies may be under way at once. */
  readonly bodyBudgetBytes: number;
}

/** Bodies up to this size have a quarter of the budget for themselves, however many batches come. */
export const smallBodyBytes = 1_048_576;
const shareOfLargeBodies = 0.75;
/** A message of ordinary size finds room in any case. */
const guaranteedBodyBytes = 262_144;
/** Strangers send forms of a few hundred bytes, and nothing else. */
const strangersBodyBytes = 32_768;
const strangersPerRequest = 0.25;
const unverifiedPerRequest = 0.25;
/** Of as many bytes as there may be of bodies. */
const shareOfAnswers = 0.5;
const guaranteedAnswerBytes = 1_048_576;

/**
 * Who has how many requests and how many bytes of bodies under way. Accounts share one part of each,
 * strangers another, so that strangers compete with strangers alone. Requests whose credential has yet
 * to be verified have a third part: they compete by address, and not with requests that show none. Among
 * themselves nobody takes all of it, and an account that has nothing under way always finds room. Large
 * answers count until they are sent: a client that does not read them finds no room for more.
 */
export class Places {
  readonly #accounts: Group;
  readonly #strangers: Group;
  readonly #unverified: Group;
  readonly #smallBodies: FairShare;
  readonly #largeBodies: FairShare;
  readonly #answers: FairShare;

  constructor({ maxRequests, bodyBudgetBytes }: PlacesOptions) {
    // One account alone gets eight ninths.
    this.#accounts = groupOf(new FairShare({ limit: maxRequests, guaranteed: 1, multiple: 8 }));
    const partOf = (perRequest: number): Group => {
      const limit = Math.max(1, Math.floor(maxRequests * perRequest));
      return groupOf(new FairShare({ limit, guaranteed: 0 }));
    };
    this.#strangers = partOf(strangersPerRequest);
    this.#unverified = partOf(unverifiedPerRequest);
    const large = bodyBudgetBytes * shareOfLargeBodies;
    const guaranteed = guaranteedBodyBytes;
    this.#largeBodies = new FairShare({ limit: large, guaranteed });
    this.#smallBodies = new FairShare({ limit: bodyBudgetBytes - large, guaranteed });
    this.#answers = new FairShare({
      limit: bodyBudgetBytes * shareOfAnswers,
      guaranteed: guaranteedAnswerBytes,
    });
  }

  /** Gives the request a place on this account, in exchange for the one that it may have. */
  enter(request: FastifyRequest, account: string): boolean {
    if (request.holder !== null) this.leave(request);
    request.isKnown = true;
    return this.#enter(request, account, this.#accounts);
  }

  enterAsStranger(request: FastifyRequest): boolean {
    if (request.holder !== null) return true;
    return this.#enter(request, addressBlock(request.ip), this.#strangers);
  }

  /** For a credential that could be good, until it is known whose it is. */
  enterUnverified(request: FastifyRequest): boolean {
    if (request.holder !== null) return true;
    return this.#enter(request, addressBlock(request.ip), this.#unverified);
  }

  leave(request: FastifyRequest): void {
    const { holder } = request;
    if (holder === null) return;
    this.dropBody(request);
    this.#dropAnswer(request, holder);
    request.holder = null;
    const { holders, share } = holder.group;
    share.giveBack(1);
    if (--holder.requests === 0) holders.delete(holder.name);
  }

  /** Whether a body that announces its length would find room. */
  bodyFits({ holder }: FastifyRequest, bytes: number, isLarge: boolean): boolean {
    if (holder === null || holder.isStranger) return true;
    return isLarge
      ? this.#largeBodies.fits(bytes, holder.largeBodyBytes)
      : this.#smallBodies.fits(bytes, holder.smallBodyBytes);
  }

  /** Takes room for more of the request's body, if there is any. */
  hold(request: FastifyRequest, bytes: number, isLarge: boolean): boolean {
    const { holder } = request;
    if (holder === null) return true;
    if (holder.isStranger) {
      if (request.heldBytes + bytes > strangersBodyBytes) return false;
    } else if (isLarge) {
      if (!this.#largeBodies.take(bytes, holder.largeBodyBytes)) return false;
      holder.largeBodyBytes += bytes;
    } else {
      if (!this.#smallBodies.take(bytes, holder.smallBodyBytes)) return false;
      holder.smallBodyBytes += bytes;
    }
    request.heldBytes += bytes;
    request.holdsLargeBody = isLarge;
    return true;
  }

  /** Gives the bytes of the body back, and keeps the place. */
  dropBody(request: FastifyRequest): void {
    const { holder, heldBytes } = request;
    request.heldBytes = 0;
    if (holder === null || holder.isStranger || heldBytes === 0) return;
    if (request.holdsLargeBody) {
      this.#largeBodies.giveBack(heldBytes);
      holder.largeBodyBytes -= heldBytes;
    } else {
      this.#smallBodies.giveBack(heldBytes);
      holder.smallBodyBytes -= heldBytes;
    }
  }

  /**
   * Keeps the place, and counts the bytes of the answer, until the request leaves. What was done has to
   * be told: an account that has too many of them is refused its next request, not this answer.
   */
  holdAnswer(request: FastifyRequest, bytes: number): void {
    const { holder } = request;
    this.dropBody(request);
    if (holder === null || holder.isStranger || request.answerBytes > 0) return;
    request.answerBytes = bytes;
    holder.answerBytes += bytes;
    this.#answers.overdraw(bytes);
  }

  #dropAnswer(request: FastifyRequest, holder: Holder): void {
    if (request.answerBytes === 0) return;
    this.#answers.giveBack(request.answerBytes);
    holder.answerBytes -= request.answerBytes;
    request.answerBytes = 0;
  }

  #enter(request: FastifyRequest, name: string, group: Group): boolean {
    const { holders, share } = group;
    const known = holders.get(name);
    const unsentBytes = known?.answerBytes ?? 0;
    if (unsentBytes > 0 && !this.#answers.fits(0, unsentBytes)) return false;
    if (!share.take(1, known?.requests ?? 0)) return false;
    const holder = known ?? {
      name,
      group,
      isStranger: group !== this.#accounts,
      requests: 0,
      smallBodyBytes: 0,
      largeBodyBytes: 0,
      answerBytes: 0,
    };
    if (known === undefined) holders.set(name, holder);
    holder.requests++;
    request.holder = holder;
    return true;
  }
}

function groupOf(share: FairShare): Group {
  return { holders: new Map(), share };
}
