import type { UpdateTarget } from "@postdate/client";
import { Option, type Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { explained } from "../help/help-text.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { askAboutTarget } from "../connection/look-up-target.ts";
import { withHeaderOptions } from "../input/header-advice.ts";
import { targetChanges } from "../print/target-changes.ts";
import {
  retryFlagNames,
  retryPolicyOf,
  withRetryFlags,
  type RetryFlags,
} from "../input/retry-flags.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import {
  targetFields,
  withTargetChangeFlags,
  withTargetFlags,
  type TargetFlags,
} from "./target-flags.ts";
import { commandsOf, targetKindCommands } from "../target-kinds/kinds.ts";
import {
  addressName,
  type AnyTarget,
  type TargetKindList,
} from "../target-kinds/target-kind-commands.ts";

interface UpdateOptions extends TargetFlags, RetryFlags {
  readonly defaultRetries?: boolean;
}

export function addTargetUpdate(
  target: Command,
  surroundings: Surroundings,
  kinds: TargetKindList = targetKindCommands,
): void {
  const helps = kinds.map(({ changeHelp }) => changeHelp);
  const withDefault = new Set(helps.flatMap(({ flagsWithDefault }) => flagsWithDefault));
  const command = withTargetFlags(
    apiCommand(target, `update <targetId> [${addressName(kinds)}]`).description(
      "change a target: its address, or what the options name; the rest stays",
    ),
    kinds,
  );
  withTargetChangeFlags(command, kinds);
  withRetryFlags(command)
    .addOption(
      new Option("--default-retries", "all retry settings as for a new target")
        .conflicts([...retryFlagNames])
        .helpGroup("Retries:"),
    )
    .addHelpText(
      "after",
      explained(
        [
          `\`default\` brings back the default of ${[...withDefault, "--max-concurrency"].join(", ")}.`,
          "Attempts that start from then on are made in the new way.",
          ...helps.map(({ text }) => text),
        ].join("\n"),
        ["postdate target update billing --timeout 5s --rate 10/s", "slower, and less patient"],
        ["postdate target update billing https://example.com/v2/hooks", "another address"],
        ...helps.flatMap((help) => help.examples),
        ["postdate target update billing --backoff exponential --backoff-start 1s", "1 s, 2 s …"],
      ),
    )
    .action(async (targetId: string, newAddress: string | undefined, options: UpdateOptions) => {
      const fields = {
        ...targetFields(options, kinds),
        ...(options.defaultRetries === true && { retryPolicy: null }),
      };
      // The service replaces a retry policy whole, so that its parts need the one there is.
      const givesRetries = retryPolicyOf(options) !== undefined;
      if (newAddress === undefined && Object.keys(fields).length === 0 && !givesRetries) {
        command.error("error: say what to change");
      }
      const { service, worded, show } = connect(command, surroundings);
      const before = await askAboutTarget(service, targetId, ({ targets }) =>
        targets.get(targetId),
      );
      const retryPolicy = givesRetries ? retryPolicyOf(options, before.retryPolicy) : undefined;
      const changes = {
        ...(newAddress !== undefined && { [addressFieldOf(before, kinds)]: newAddress }),
        ...fields,
        ...(retryPolicy !== undefined && { retryPolicy }),
      };
      // The kinds know their fields, and the service checks them.
      const after = await service
        .ask(({ targets }) => targets.update(targetId, changes as UpdateTarget))
        .catch((error: unknown) => {
          throw withHeaderOptions(error);
        });
      const rewritten = commandsOf(before, kinds)?.rewrittenRows(options) ?? [];
      show(after, () => worded({ before, after, rewritten }, targetChanges));
    });
}

function addressFieldOf(target: AnyTarget, kinds: TargetKindList): string {
  const kind = commandsOf(target, kinds);
  if (kind !== undefined) return kind.addressField;
  const message = `This version does not know where a target of kind ${target.kind} has its address.`;
  throw new CommandFailed(exitCodes.usage, message);
}
