import type { RetryPolicy, Target } from "@postdate/client";
import type { Service } from "../connection/service.ts";

export const devTargetId = "dev";

/** Fast enough to watch: one, two and four seconds after a failure. */
const retryPolicy: RetryPolicy = {
  maxAttempts: 4,
  backoff: { kind: "exponential", initialMs: 1_000, factor: 2, maxMs: 10_000, jitter: 0 },
  finalStatuses: [],
  maxRetryAfterMs: 10_000,
};

export interface DevTargetOptions {
  readonly service: Service;
  readonly url: string;
  readonly secret: string;
  /** The secret was just made, so a target from an earlier start does not have it. */
  readonly isNewSecret: boolean;
  readonly warn: (line: string) => void;
}

export interface DevTarget extends Target {
  readonly secret?: string;
}

/** Makes the target, or points the one from an earlier start at the current receiver. */
export async function ensureDevTarget(options: DevTargetOptions): Promise<DevTarget> {
  const { service, url, secret, isNewSecret, warn } = options;
  const existing = await service.ask(({ targets }) => targets.get(devTargetId));
  if (existing === null) {
    const target = { targetId: devTargetId, kind: "webhook" as const, url, secret, retryPolicy };
    const created = await service.ask(({ targets }) => targets.create(target));
    return { ...created, secret };
  }
  if (existing.url !== url) {
    // Header values are bound to the address that they were given for.
    const hasMoved = new URL(existing.url).origin !== new URL(url).origin;
    const losesHeaders = hasMoved && Object.keys(existing.headers).length > 0;
    const changes = losesHeaders ? { url, headers: {} } : { url };
    await service.ask(({ targets }) => targets.update(devTargetId, changes));
    if (losesHeaders) {
      warn(
        `The receiver is at another address than before, so the target "${devTargetId}" has lost its headers; give them again with npx postdate target update ${devTargetId} --header …`,
      );
    }
  }
  if (!isNewSecret) return { ...existing, url, secret };
  return service.ask(({ targets }) => targets.rotateSecret(devTargetId));
}
