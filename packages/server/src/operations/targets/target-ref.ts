import type { Caller } from "../../domain/access.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import { targetIdPattern } from "../../domain/target.ts";
import type { TargetRef } from "../../storage/store.ts";
import { targetNotFound } from "./target-view.ts";

/** Refuses an id that no target can have before the store sees it. Some stores fail on such a text. */
export function targetRef({ accountId }: Caller, targetId: string): TargetRef {
  if (!targetIdPattern.test(targetId)) throw new RequestRefused(targetNotFound(targetId));
  return { accountId, targetId };
}
