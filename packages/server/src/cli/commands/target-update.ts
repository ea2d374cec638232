import { Option, type Command } from "commander";
import { path } from "../api.ts";
import { apiCommand, connect } from "../connection.ts";
import { examples } from "../examples.ts";
import { withTargetNames } from "../look-up-target.ts";
import { targetChanges } from "../print/target-changes.ts";
import { retryFlagNames, retryPolicyOf, withRetryFlags, type RetryFlags } from "../retry-flags.ts";
import type { Surroundings } from "../surroundings.ts";
import { targetFields, withTargetFlags, type TargetFlags } from "../target-flags.ts";
import type { WireTarget } from "../wire.ts";

interface UpdateOptions extends TargetFlags, RetryFlags {
  /** False where they are to be removed. */
  readonly headers: boolean;
  readonly defaultRetries?: boolean;
}

export function addTargetUpdate(target: Command, surroundings: Surroundings): void {
  const command = withTargetFlags(
    apiCommand(target, "update <targetId> [url]").description(
      "change a target: its address, or what the options name; the rest stays",
    ),
  ).addOption(new Option("--no-headers", "send no headers along").conflicts("header"));
  withRetryFlags(command)
    .addOption(
      new Option("--default-retries", "all retry settings as for a new target")
        .conflicts([...retryFlagNames])
        .helpGroup("Retries:"),
    )
    .addHelpText(
      "after",
      `
\`default\` brings back the default of --content-type, --timeout and --max-concurrency. The headers that
are given replace all that there are, and values cannot be read back: 'Name: set' keeps the value that a
header has. With an address of another scheme, host or port give the values again, or --no-headers: they
are not sent elsewhere. Attempts that start from then on are made in the new way.
${examples(
  ["postdate target update billing --timeout 5s --rate 10/s", "slower, and less patient"],
  ["postdate target update billing https://example.com/v2/hooks", "another address"],
  ["postdate target update billing --header 'X-A: new' --header 'X-B: set'", "one of two headers"],
  ["postdate target update billing --rate none --no-headers", "without limit and headers"],
  ["postdate target update billing --backoff exponential --backoff-start 1s", "1 s, 2 s, 4 s …"],
)}`,
    )
    .action(async (targetId: string, url: string | undefined, options: UpdateOptions) => {
      const fields = {
        ...(url !== undefined && { url }),
        ...targetFields(options),
        ...(!options.headers && { headers: null }),
        ...(options.defaultRetries === true && { retryPolicy: null }),
      };
      // The service replaces a retry policy whole, so that its parts need the one there is.
      const givesRetries = retryPolicyOf(options) !== undefined;
      if (Object.keys(fields).length === 0 && !givesRetries) {
        command.error("error: say what to change");
      }
      const { api, show } = connect(command, surroundings);
      const address = path("targets", targetId);
      const before = await withTargetNames(api, targetId, () =>
        api.call<WireTarget>({ method: "GET", path: address }),
      );
      const retryPolicy = givesRetries ? retryPolicyOf(options, before.retryPolicy) : undefined;
      const after = await api.call<WireTarget>({
        method: "PATCH",
        path: address,
        body: { ...fields, ...(retryPolicy !== undefined && { retryPolicy }) },
      });
      const withNewHeaders = options.header !== undefined;
      show(after, (look) => targetChanges({ before, after, withNewHeaders }, look));
    });
}
