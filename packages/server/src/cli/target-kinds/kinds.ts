import type { WireTarget } from "../wire.ts";
import type { TargetKindCommands } from "./target-kind-commands.ts";
import { webhook } from "./webhook.ts";

/** The one list of target kinds on the command line. The first is the kind of a target by default. */
export const targetKindCommands: readonly [TargetKindCommands, ...TargetKindCommands[]] = [
  webhook,
  // A further kind is one more line here.
];

/** Undefined for a kind that only a newer service has. */
export function commandsOf({ kind }: Pick<WireTarget, "kind">): TargetKindCommands | undefined {
  return targetKindCommands.find((each) => each.kind === kind);
}
