/** The promises by their names in the guarantees. */
export const promises = {
  G1: "Durable",
  G2: "No half effects",
  G3: "Nothing vanishes",
  G4: "Never early",
  G5: "Duplicates",
  G6: "One at a time",
  G7: "Never stuck",
  G8: "Isolation",
  G9: "Cancel",
  G10: "Reschedule",
  G11: "One history",
  G12: "Walks",
  G13: "Clocks",
  G14: "Quota",
  G15: "Catch-up",
  G16: "Exact bytes",
  G18: "Refusals",
  G22: "Events",
  /** What the options of a message promise. */
  OPT: "Options",
  /** One scheduled message for one key, and nothing acknowledged vanishes. */
  KEY: "Keys",
} as const;

export type Promised = keyof typeof promises;

export interface Violation {
  readonly promise: Promised;
  /** Null if the violation is not about a single message. */
  readonly messageId: string | null;
  /** The name of a key, if the violation is about that. */
  readonly about?: string;
  /** A sentence whose subject is the message, key or node. */
  readonly says: string;
}

/** `G9 Cancel: msg_… was attempted 312 ms after its cancellation was answered` */
export function titleOf({ promise, messageId, about, says }: Violation): string {
  const subject = about ?? messageId;
  return `${promise} ${promises[promise]}: ${subject === null ? "" : `${subject} `}${says}`;
}

/** Reports a violation for one message. May be called several times. */
export type Report = (promise: Promised, says: string) => void;
