import type { Caller } from "../../domain/access.ts";
import { changeTarget } from "./change-target.ts";
import type { ChangeTargetOptions } from "./change-target.ts";
import { viewTarget } from "./target-view.ts";
import type { TargetView, ViewTargetOptions } from "./target-view.ts";

export interface PauseTargetOptions extends ChangeTargetOptions, ViewTargetOptions {}

/** Pausing a paused target or resuming a running one changes nothing and is not an error. */
async function setPaused(
  options: PauseTargetOptions,
  caller: Caller,
  targetId: string,
  paused: boolean,
): Promise<TargetView> {
  const audited = { action: paused ? "target.paused" : "target.resumed" } as const;
  const target = await changeTarget(options, caller, targetId, audited, (now) =>
    now.paused === paused ? {} : { paused },
  );
  return viewTarget(options, target);
}

export function pauseTarget(
  options: PauseTargetOptions,
  caller: Caller,
  targetId: string,
): Promise<TargetView> {
  return setPaused(options, caller, targetId, true);
}

export function resumeTarget(
  options: PauseTargetOptions,
  caller: Caller,
  targetId: string,
): Promise<TargetView> {
  return setPaused(options, caller, targetId, false);
}
