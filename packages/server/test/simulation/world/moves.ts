import type { Mood } from "./simulated-network.ts";

/** Something that is done to the world at an instant. The rest follows from it. */
export type Move = { readonly at: number } & (
  | {
      readonly kind: "schedule";
      /** Names the message in later moves, and is its idempotency key. */
      readonly name: string;
      readonly accountId: string;
      readonly targetId: string;
      readonly dueInMs: number;
      readonly payload: string;
    }
  | { readonly kind: "batch"; readonly items: readonly (Move & { readonly kind: "schedule" })[] }
  | { readonly kind: "cancel"; readonly name: string }
  | { readonly kind: "get"; readonly name: string }
  | { readonly kind: "reschedule"; readonly name: string; readonly dueInMs: number }
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
      /** When the node next asks the store for something that matters, or so many times later. */
      readonly kind: "strike";
      readonly node: number;
      readonly calls: number;
      readonly what: Strike;
      readonly downMs: number;
    }
  | { readonly kind: "clock"; readonly node: number; readonly wallErrorMs: number }
  /** The clock of an embedded store, and with it its node's, is set. */
  | { readonly kind: "clock-step"; readonly byMs: number }
  | {
      /** Targets that take everything and answer nothing. */
      readonly kind: "hang";
      readonly accountId: string;
      readonly targetIds: readonly string[];
      readonly forMs: number;
    }
);

/**
 * What befalls one call: it fails, or its node dies over it, before or after it has happened; or it
 * happens so long after it was given up.
 */
export type Strike =
  | "fails-before"
  | "fails-after"
  | "dies-before"
  | "dies-after"
  | { readonly happensAfterMs: number };

/** What befalls calls to the store, each with its chance. */
export interface Weather {
  readonly failsBefore: number;
  readonly failsAfter: number;
  readonly slow: number;
  readonly slowestMs: number;
}

export const calm: Weather = { failsBefore: 0, failsAfter: 0, slow: 0, slowestMs: 0 };
