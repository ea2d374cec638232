import type { FastifyRequest } from "fastify";
import { FairShare } from "../../platform/fair-share.ts";
import { addressBlock } from "./address-block.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The account or address that the request counts for. Null before it has a place, and after its answer. */
    holder: Holder | null;
    /** How many bytes of its body count for the holder. */
    heldBytes: number;
    holdsLargeBody: boolean;
    /** How many bytes of its answer count for the holder until they are sent. */
    answerBytes: number;
    /** Whether its account is known, even if that account had no room. */
    isKnown: boolean;
  }
}

/** Holders that compete only with each other for places. */
interface Group {
  readonly holders: Map<string, Holder>;
  readonly share: FairShare;
}

/** An account or an address of strangers, with what it has under way. */
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

/** Bodies up to this size have a quarter of the budget to themselves, however many batches come. */
export const smallBodyBytes = 1_048_576;
const shareOfLargeBodies = 0.75;
/** A message of ordinary size always finds room. */
const guaranteedBodyBytes = 262_144;
/** Strangers send only forms of a few hundred bytes. */
const strangersBodyBytes = 32_768;
const strangersPerRequest = 0.25;
const unverifiedPerRequest = 0.25;
/** A share of the budget for bodies. Answers have it in addition. */
const shareOfAnswers = 0.5;
const guaranteedAnswerBytes = 1_048_576;

/**
 * Counts the requests and the bytes of bodies that each holder has under way. Accounts share one part of
 * each, strangers another, so strangers compete only with strangers. Requests whose credential is not
 * verified yet have a third part. They compete by address, and not with requests without a credential. Keys
 * that this service has made have a fourth part, because strangers cannot make them up. They compete by
 * address too: an account may have any number of revoked keys. No
 * holder can take all of its part, and an account with nothing under way always finds room. Answers that
 * wait count until they are sent, so a client that does not read them finds no room for more.
 */
export class Places {
  readonly #accounts: Group;
  readonly #strangers: Group;
  readonly #unverified: Group;
  readonly #marked: Group;
  readonly #smallBodies: FairShare;
  readonly #largeBodies: FairShare;
  readonly #answers: FairShare;

  constructor({ maxRequests, bodyBudgetBytes }: PlacesOptions) {
    // One account can take at most eight ninths.
    this.#accounts = groupOf(new FairShare({ limit: maxRequests, guaranteed: 1, multiple: 8 }));
    // After a start no key is verified yet, so an address may have as many places as an account.
    this.#marked = groupOf(new FairShare({ limit: maxRequests, guaranteed: 1, multiple: 8 }));
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

  /** Gives the request a place of this account, in exchange for a place that it may already have. */
  enter(request: FastifyRequest, account: string): boolean {
    if (request.holder !== null) this.leave(request);
    request.isKnown = true;
    return this.#enter(request, account, this.#accounts);
  }

  enterAsStranger(request: FastifyRequest): boolean {
    if (request.holder !== null) return true;
    return this.#enter(request, addressBlock(request.ip), this.#strangers);
  }

  /** For a request with a credential that may be valid, until its account is known. */
  enterUnverified(request: FastifyRequest, isMarked = false): boolean {
    if (request.holder !== null) return true;
    const group = isMarked ? this.#marked : this.#unverified;
    return this.#enter(request, addressBlock(request.ip), group);
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

  /** Takes room for more bytes of the body, if there is any. */
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

  /** Gives the bytes of the body back. The request keeps its place. */
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
   * Keeps the place and counts the bytes of the answer until the request leaves. An answer is never
   * refused, because the work is done. If an account has too many unsent bytes, its next request is refused.
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
