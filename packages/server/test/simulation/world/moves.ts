import type { WantedKey } from "../../../src/domain/message-key.ts";
import type { Mood } from "./simulated-network.ts";

/** What a simulated caller may ask for besides target, time and payload. */
export interface MoveOptions {
  readonly labels?: Readonly<Record<string, string>>;
  /** Instead of the target's policy. */
  readonly delaysMs?: readonly number[];
  readonly bound?: MoveBound;
  readonly flexWindowMs?: number;
}

/** Milliseconds after the delivery time, or after the moment of the call. */
export type MoveBound = { readonly notAfterMs: number } | { readonly endsInMs: number };

/** The scheduled message of a target that has a key, whichever it is. */
interface OfKey {
  /** The name of the call. */
  readonly name: string;
  readonly accountId: string;
  readonly targetId: string;
  readonly messageKey: string;
}

/** An action on the world at an instant. Everything else follows from these. */
export type Move = { readonly at: number } & (
  | {
      readonly kind: "schedule";
      /** The name of the message in later moves. It is also the idempotency key. */
      readonly name: string;
      readonly accountId: string;
      readonly targetId: string;
      /** For a debounce: the quiet time. */
      readonly dueInMs: number;
      /** Asks for the delay, and leaves the instant to the store. */
      readonly byDelay?: boolean;
      readonly payload: string;
      readonly options?: MoveOptions;
      readonly key?: WantedKey;
    }
  | {
      readonly kind: "batch";
      readonly items: readonly (Move & { readonly kind: "schedule" })[];
      /** Each item has its name as its own key, and may be repeated alone. */
      readonly ownKeys?: boolean;
    }
  | { readonly kind: "cancel"; readonly name: string }
  | { readonly kind: "get"; readonly name: string }
  | {
      readonly kind: "reschedule";
      readonly name: string;
      readonly dueInMs: number;
      readonly byDelay?: boolean;
      /** Null removes the message's bound. Missing: it keeps its own. */
      readonly bound?: MoveBound | null;
    }
  | (OfKey & { readonly kind: "get by key" | "cancel by key" })
  | (OfKey & {
      readonly kind: "reschedule by key";
      readonly dueInMs: number;
      readonly byDelay?: boolean;
      readonly bound?: MoveBound | null;
    })
  | {
      readonly kind: "walk";
      readonly accountId: string;
      readonly targetId: string;
      readonly list: "scheduled" | "dead";
      readonly limit: number;
    }
  | {
      readonly kind: "target";
      readonly accountId: string;
      readonly targetId: string;
      readonly change: "pause" | "resume" | "slower" | "faster";
    }
  | { readonly kind: "account"; readonly accountId: string; readonly change: "suspend" | "resume" }
  | { readonly kind: "mood"; readonly targetId: string; readonly mood: Mood }
  | { readonly kind: "weather"; readonly weather: Weather }
  | { readonly kind: "crash"; readonly node: number; readonly downMs: number }
  | { readonly kind: "restart"; readonly node: number; readonly downMs: number }
  | { readonly kind: "freeze"; readonly node: number; readonly forMs: number }
  | { readonly kind: "cut-off"; readonly node: number; readonly forMs: number }
  | {
      /** Hits the node's next important call to the store, or a later one. */
      readonly kind: "strike";
      readonly node: number;
      readonly calls: number;
      readonly what: Strike;
      readonly downMs: number;
      /** Hits only calls of this verb. */
      readonly verb?: string;
    }
  | { readonly kind: "clock"; readonly node: number; readonly wallErrorMs: number }
  /** Sets the store's clock: that of the database, or of the node if its store is embedded. */
  | { readonly kind: "clock-step"; readonly byMs: number }
  | {
      /** Targets that accept everything and never answer. */
      readonly kind: "hang";
      readonly accountId: string;
      readonly targetIds: readonly string[];
      readonly forMs: number;
    }
);

/**
 * What happens to one call: it fails, or its node dies during it, before or after the call takes effect. Or
 * it takes effect long after its caller gave up.
 */
export type Strike =
  | "fails-before"
  | "fails-after"
  | "dies-before"
  | "dies-after"
  | { readonly happensAfterMs: number };

/** What can happen to calls to the store, each with its probability. */
export interface Weather {
  readonly failsBefore: number;
  readonly failsAfter: number;
  readonly slow: number;
  readonly slowestMs: number;
}

export const calm: Weather = { failsBefore: 0, failsAfter: 0, slow: 0, slowestMs: 0 };
