import type { Caller } from "../../domain/access.ts";
import type { Instant } from "../../domain/message.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import { monthNamed } from "../../domain/usage.ts";
import type { Usage } from "../../domain/usage.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Store } from "../../storage/store.ts";
import { accountGone } from "../access/account-gone.ts";

export interface GetUsageOptions {
  readonly store: Pick<Store, "getUsage">;
  readonly clock: Pick<Clock, "now">;
}

export interface UsageView extends Usage {
  /** Null if there is no limit. */
  readonly remaining: number | null;
  readonly resetTime: Instant;
  /** The length of the whole month. */
  readonly monthMs: number;
  /** How much of the month is left. */
  readonly resetInMs: number;
}

export async function getUsage(
  { store, clock }: GetUsageOptions,
  caller: Caller,
): Promise<UsageView> {
  const usage = await store.getUsage(caller.accountId);
  if (usage === undefined) throw new RequestRefused(accountGone);
  const { start, end } = monthNamed(usage.month);
  return {
    ...usage,
    // The operator may lower the limit below what the account has already used.
    remaining: usage.limit === null ? null : Math.max(0, usage.limit - usage.used),
    resetTime: end,
    monthMs: end - start,
    resetInMs: Math.max(0, end - clock.now()),
  };
}
