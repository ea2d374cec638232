import type { RetryPolicy } from "../domain/retry-policy.ts";

/** What the service answers, as far as the command line looks at it. Times are RFC 3339 texts. */

export interface WireMessage {
  readonly messageId: string;
  readonly targetId: string;
  readonly schedulingTime: string;
  readonly originalDeliveryTime: string;
  readonly state: "SCHEDULED" | "DELIVERED" | "DEAD_LETTER" | "CANCELLED";
  readonly deliveryFailureCount: number;
  readonly nextDeliveryTime: string | null;
  readonly lastDeliveryTime: string | null;
  readonly deadLetterTime: string | null;
  readonly cancellationTime: string | null;
  readonly expirationTime: string | null;
}

export interface WirePage<Item> {
  readonly items: readonly Item[];
  readonly nextPageToken?: string | null;
}

export interface WireAttempt {
  readonly number: number;
  readonly startTime: string;
  readonly endTime: string;
  readonly outcome: string;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly response?: string | null;
}

/** A target of any kind. */
export interface WireTarget {
  readonly targetId: string;
  readonly kind: string;
  readonly retryPolicy: RetryPolicy;
  readonly maxConcurrency: number;
  readonly rateLimit: { readonly max: number; readonly intervalMs: number } | null;
  readonly paused: boolean;
  readonly creationTime: string;
  readonly updateTime: string;
  /** Only in the answers that made it. */
  readonly secret?: string;
  /** The settings of its kind, which `target-kinds/` knows. */
  readonly [setting: string]: unknown;
}

export interface WireNode {
  readonly nodeId: string;
  readonly role: string;
  readonly joinTime: string;
  readonly heartbeatAgeMs: number;
  readonly inFlight: number;
}

export interface WireKey {
  readonly keyId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly creationTime: string;
  /** Only in the answer that made it. */
  readonly key?: string;
}

export interface WireClient {
  readonly clientId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly creationTime: string;
  readonly secretTime: string;
  /** Only in the answers that made it. */
  readonly clientSecret?: string;
}

export interface WireSigningKey {
  readonly keyId: string;
  readonly creationTime: string;
  readonly state: "UPCOMING" | "SIGNING" | "PREVIOUS";
}

export interface WireAccount {
  readonly accountId: string;
  readonly name: string;
  readonly state: "ACTIVE" | "SUSPENDED";
  readonly monthlyMessageLimit: number | null;
  readonly requestLimit: { readonly max: number; readonly intervalMs: number } | null;
  readonly creationTime: string;
  readonly suspensionTime: string | null;
  /** Only where one account was asked for. */
  readonly usage?: { readonly month: string; readonly used: number };
  /** Only in the answer that made it. */
  readonly key?: string;
}

export interface WireUsage {
  readonly month: string;
  readonly used: number;
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly resetTime: string;
}

export interface WireAuditEntry {
  readonly entryId: string;
  readonly time: string;
  readonly actor: { readonly kind: string; readonly id: string };
  readonly requestId: string | null;
  readonly action: string;
  readonly subjectId: string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** Only in what the operator sees. */
  readonly accountId?: string | null;
}

export interface WireTest {
  readonly targetId: string;
  readonly messageId: string;
  readonly attempt: WireAttempt;
}
