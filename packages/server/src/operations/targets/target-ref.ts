import type { Caller } from "../../domain/access.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import { targetIdPattern } from "../../domain/target.ts";
import type { TargetRef } from "../../storage/store.ts";
import { targetNotFound } from "./target-view.ts";

/** An id that no target can have is not looked for; not every store could. */
export function targetRef({ accountId }: Caller, targetId: string): TargetRef {
  if (!targetIdPattern.test(targetId)) throw new RequestRefused(targetNotFound(targetId));
  return { accountId, targetId };
}
