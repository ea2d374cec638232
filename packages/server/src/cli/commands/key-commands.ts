import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { examples } from "../help/help-text.ts";
import { credentialLine } from "../print/credential-line.ts";
import { keyRows } from "../print/targets.ts";
import { showList } from "../connection/show-list.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { credentialParts, type CredentialParts } from "./credential-parts.ts";

export function addKey(program: Command, surroundings: Surroundings): void {
  const key = program
    .command("key")
    .description("the API keys of the account")
    .addHelpText(
      "after",
      examples(
        ["postdate key create --name ci", "a key that schedules and reads messages"],
        ["postdate key revoke key_…", "from then on it is refused"],
      ),
    );
  addKeyCreate(key, surroundings);
  addKeyList(key, surroundings);
  addKeyRevoke(key, surroundings);
}

function addKeyCreate(key: Command, surroundings: Surroundings): void {
  const parts = credentialParts("key");
  const command = parts
    .withOptions(apiCommand(key, "create"))
    .description("make an API key; stdout gets only the key, ready for a script")
    .addHelpText(
      "after",
      examples(
        ["postdate key create --name ci > key.txt", "keep the key in a file"],
        ["postdate key create --name audit --scope scheduler.all.read", "read everything"],
      ),
    )
    .action(async (options: CredentialParts) => {
      const { service, show, tell } = connect(command, surroundings);
      const wanted = parts.body(options);
      const created = await service.ask(({ keys }) => keys.create(wanted));
      show(created, (shown) => credentialLine(shown.key));
      tell(
        created,
        ({ keyId }) => `Made ${keyId}. The key itself is not shown again: keep it now.`,
      );
    });
}

function addKeyList(key: Command, surroundings: Surroundings): void {
  const command = apiCommand(key, "list")
    .description("list the API keys, without the keys themselves")
    .addHelpText("after", examples(["postdate key list", "names, scopes and ids"]))
    .action(async () => {
      await showList(connect(command, surroundings), {
        list: ({ keys }) => keys.list(),
        rows: keyRows,
      });
    });
}

function addKeyRevoke(key: Command, surroundings: Surroundings): void {
  const command = apiCommand(key, "revoke <keyId>")
    .description("revoke an API key")
    .addHelpText("after", examples(["postdate key revoke key_…", "an id from postdate key list"]))
    .action(async (keyId: string) => {
      const { service, show } = connect(command, surroundings);
      const answer = await service.ask(({ keys }) => keys.revoke(keyId));
      show(answer, () => `Revoked ${keyId}\n`);
    });
}
