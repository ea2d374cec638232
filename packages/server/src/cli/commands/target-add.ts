import type { CreateTarget } from "@postdate/client";
import { Option, type Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { examples } from "../help/help-text.ts";
import { targetCard } from "../print/targets.ts";
import { retryPolicyOf, withRetryFlags, type RetryFlags } from "../input/retry-flags.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { targetFields, withTargetFlags, type TargetFlags } from "./target-flags.ts";
import { targetKindCommands } from "../target-kinds/kinds.ts";
import {
  addressName,
  type AnyTarget,
  type TargetKindList,
} from "../target-kinds/target-kind-commands.ts";

interface AddOptions extends TargetFlags, RetryFlags {
  readonly id?: string;
  readonly kind?: string;
  readonly secret?: string;
}

export function addTargetAdd(
  target: Command,
  surroundings: Surroundings,
  kinds: TargetKindList = targetKindCommands,
): void {
  const [defaultKind, ...otherKinds] = kinds;
  const command = withTargetFlags(
    apiCommand(target, `add <${addressName(kinds)}>`)
      .description(`make a target: ${kinds.map(({ receives }) => receives).join(", or ")}`)
      .option("--id <targetId>", "its name, up to 64 of A-Z a-z 0-9 _ - (default: generated)"),
    kinds,
  ).option("--secret <secret>", "the signing secret, whsec_… (default: generated)");
  if (otherKinds.length > 0) {
    const choice = new Option("--kind <kind>", `how it receives (default: ${defaultKind.kind})`);
    command.addOption(choice.choices(kinds.map(({ kind }) => kind)));
  }
  withRetryFlags(command)
    .addHelpText(
      "after",
      examples(
        ["postdate target add https://example.com/hooks --id billing", "with the defaults"],
        ["postdate target add https://example.com/hooks --rate 10/s --timeout 5s", "gently"],
        ["postdate target add https://example.com/hooks --backoff 1s,10s,1m", "four attempts"],
      ),
    )
    .action(async (address: string, options: AddOptions) => {
      const { service, show, note } = connect(command, surroundings);
      const { id, secret } = options;
      const retryPolicy = retryPolicyOf(options);
      const { kind, addressField } =
        kinds.find((each) => each.kind === options.kind) ?? defaultKind;
      const body = {
        kind,
        [addressField]: address,
        ...(id !== undefined && { targetId: id }),
        ...givenOnly(targetFields(options, kinds)),
        ...(retryPolicy !== undefined && { retryPolicy }),
        ...(secret !== undefined && { secret }),
      };
      // The kinds know their fields, and the service checks them.
      const wanted = body as unknown as CreateTarget;
      const added: AnyTarget = await service.ask(({ targets }) => targets.create(wanted));
      show(added, targetCard);
      if (added.secret !== undefined) note("The secret is not shown again: keep it now.");
    });
}

/** A new target has its defaults anyway, and the service takes no null for them. */
function givenOnly(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
