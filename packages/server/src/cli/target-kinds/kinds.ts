import type { AnyTarget, TargetKindCommands, TargetKindList } from "./target-kind-commands.ts";
import { webhook } from "./webhook.ts";

/** The one list of target kinds on the command line. */
export const targetKindCommands: TargetKindList = [
  webhook,
  // Add a line here for each new kind.
];

/** Returns undefined for a kind that only a newer service knows. */
export function commandsOf(
  { kind }: Pick<AnyTarget, "kind">,
  kinds: TargetKindList = targetKindCommands,
): TargetKindCommands | undefined {
  return kinds.find((each) => each.kind === kind);
}
