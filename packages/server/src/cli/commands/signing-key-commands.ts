import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { operatorKey } from "../connection/key-source.ts";
import { examples } from "../help/help-text.ts";
import { signingKeyRows } from "../print/signing-keys.ts";
import { showList } from "../connection/show-list.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export function addSigningKey(program: Command, surroundings: Surroundings): void {
  const signingKey = program
    .command("signing-key")
    .description("the keys that access tokens are signed with; needs the operator's key")
    .addHelpText(
      "after",
      examples(
        ["postdate signing-key list", "which one signs, and since when"],
        ["postdate signing-key rotate", "a new one takes over in a few minutes"],
      ),
    );
  addSigningKeyList(signingKey, surroundings);
  addSigningKeyRotate(signingKey, surroundings);
}

function addSigningKeyList(signingKey: Command, surroundings: Surroundings): void {
  const command = apiCommand(signingKey, "list", operatorKey)
    .description("list the signing keys; the first is made for the first access token")
    .addHelpText("after", examples(["postdate signing-key list", "ids, states and ages"]))
    .action(async () => {
      await showList(connect(command, surroundings, operatorKey), {
        list: ({ signingKeys }) => signingKeys.list(),
        rows: signingKeyRows,
        none: "No signing keys yet.",
      });
    });
}

function addSigningKeyRotate(signingKey: Command, surroundings: Surroundings): void {
  const command = apiCommand(signingKey, "rotate", operatorKey)
    .description("make a new signing key; tokens issued so far stay valid until they expire")
    .option("--remove-old", "remove the others at once: every token issued so far is void")
    .addHelpText(
      "after",
      examples(
        ["postdate signing-key rotate", "a new one takes over in a few minutes"],
        ["postdate signing-key rotate --remove-old", "a key may have leaked: void all tokens"],
      ),
    )
    .action(async ({ removeOld = false }: { removeOld?: boolean }) => {
      const { service, show, note } = connect(command, surroundings, operatorKey);
      const items = await service.ask(({ signingKeys }) => signingKeys.rotate({ removeOld }));
      show({ items }, (shown, look) => signingKeyRows(shown.items, look));
      if (removeOld) note("Every access token issued before is void. Clients get new ones.");
    });
}
