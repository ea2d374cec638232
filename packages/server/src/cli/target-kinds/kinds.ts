import type { WireTarget } from "../wire.ts";
import type { TargetKindCommands, TargetKindList } from "./target-kind-commands.ts";
import { webhook } from "./webhook.ts";

/** The one list of target kinds on the command line. */
export const targetKindCommands: TargetKindList = [
  webhook,
  // A further kind is one more line here.
];

/** Undefined for a kind that only a newer service has. */
export function commandsOf(
  { kind }: Pick<WireTarget, "kind">,
  kinds: TargetKindList = targetKindCommands,
): TargetKindCommands | undefined {
  return kinds.find((each) => each.kind === kind);
}
