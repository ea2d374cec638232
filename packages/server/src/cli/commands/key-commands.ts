import type { Command } from "commander";
import { scopes } from "../../domain/access.ts";
import { path } from "../api.ts";
import { apiCommand, connect } from "../connection.ts";
import { examples } from "../examples.ts";
import { keyRows } from "../print/targets.ts";
import { collect } from "../read-option.ts";
import type { Surroundings } from "../surroundings.ts";
import type { WireKey, WirePage } from "../wire.ts";

export function addKey(program: Command, surroundings: Surroundings): void {
  const key = program
    .command("key")
    .description("the API keys of the account")
    .addHelpText(
      "after",
      examples(
        ["postdate key create --name ci", "a key that schedules and reads messages"],
        ["postdate key revoke key_…", "from then on it opens nothing"],
      ),
    );
  addKeyCreate(key, surroundings);
  addKeyList(key, surroundings);
  addKeyRevoke(key, surroundings);
}

function addKeyCreate(key: Command, surroundings: Surroundings): void {
  const command = apiCommand(key, "create")
    .description("make an API key; stdout gets the key alone, ready for a script")
    .requiredOption("--name <name>", "what the key is for")
    .option(
      "--scope <scope>",
      `repeatable (default: scheduler.messages.readwrite); one of ${scopes.join(", ")}`,
      collect,
    )
    .addHelpText(
      "after",
      examples(
        ["postdate key create --name ci > key.txt", "keep the key in a file"],
        ["postdate key create --name audit --scope scheduler.all.read", "read everything"],
      ),
    )
    .action(async (options: { name: string; scope?: readonly string[] }) => {
      const { api, show, note } = connect(command, surroundings);
      const created = await api.call<WireKey>({
        method: "POST",
        path: "/keys",
        body: { name: options.name, scopes: options.scope ?? ["scheduler.messages.readwrite"] },
      });
      show(created, () => `${created.key}\n`);
      note(`Made ${created.keyId}. The key itself is not shown again: keep it now.`);
    });
}

function addKeyList(key: Command, surroundings: Surroundings): void {
  const command = apiCommand(key, "list")
    .description("list the API keys, without the keys themselves")
    .addHelpText("after", examples(["postdate key list", "names, scopes and ids"]))
    .action(async () => {
      const { api, show } = connect(command, surroundings);
      const answer = await api.call<WirePage<WireKey>>({ method: "GET", path: "/keys" });
      show(answer, (look) => keyRows(answer.items, look));
    });
}

function addKeyRevoke(key: Command, surroundings: Surroundings): void {
  const command = apiCommand(key, "revoke <keyId>")
    .description("revoke an API key")
    .addHelpText("after", examples(["postdate key revoke key_…", "an id from postdate key list"]))
    .action(async (keyId: string) => {
      const { api, show } = connect(command, surroundings);
      const answer = await api.call<unknown>({
        method: "DELETE",
        path: path("keys", keyId),
        missing: `There is no key ${keyId}.`,
      });
      show(answer, () => `Revoked ${keyId}\n`);
    });
}
