import type { RetryPolicy } from "../../domain/retry-policy.ts";
import { path, type Api } from "../api.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import type { WireWebhook } from "../target-kinds/webhook.ts";

export const devTargetId = "dev";

/** Fast enough to watch: one, two and four seconds after a failure. */
const retryPolicy: RetryPolicy = {
  maxAttempts: 4,
  backoff: { kind: "exponential", initialMs: 1_000, factor: 2, maxMs: 10_000, jitter: 0 },
  finalStatuses: [],
  maxRetryAfterMs: 10_000,
};

export interface DevTargetOptions {
  readonly api: Api;
  readonly url: string;
  readonly secret: string;
  /** The secret was made just now, so a target of an earlier start does not have it. */
  readonly isNewSecret: boolean;
  readonly warn: (line: string) => void;
}

/** Makes the target, or points the one of an earlier start at where the receiver is now. */
export async function ensureDevTarget(options: DevTargetOptions): Promise<WireWebhook> {
  const { api, url, secret, isNewSecret, warn } = options;
  const existing = await findTarget(api);
  if (existing === undefined) {
    const body = { targetId: devTargetId, kind: "webhook", url, secret, retryPolicy };
    const created = await api.call<WireWebhook>({ method: "POST", path: "/targets", body });
    return { ...created, secret };
  }
  if (existing.url !== url) {
    // Their values stay with the address that they were given for.
    const hasMoved = new URL(existing.url).origin !== new URL(url).origin;
    const losesHeaders = hasMoved && Object.keys(existing.headers).length > 0;
    const body = losesHeaders ? { url, headers: {} } : { url };
    await api.call({ method: "PATCH", path: path("targets", devTargetId), body });
    if (losesHeaders) {
      warn(
        `The receiver is at another address than before, so the target "${devTargetId}" has lost its headers; give them again with npx postdate target update ${devTargetId} --header …`,
      );
    }
  }
  if (!isNewSecret) return { ...existing, url, secret };
  return api.call<WireWebhook>({
    method: "POST",
    path: path("targets", devTargetId, "rotate-secret"),
  });
}

async function findTarget(api: Api): Promise<WireWebhook | undefined> {
  try {
    return await api.call<WireWebhook>({ method: "GET", path: path("targets", devTargetId) });
  } catch (error) {
    if (error instanceof CommandFailed && error.exitCode === exitCodes.notFound) return undefined;
    throw error;
  }
}
