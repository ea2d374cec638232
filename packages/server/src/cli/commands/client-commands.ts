import type { Command } from "commander";
import { duration } from "../../config/kinds-of-value.ts";
import { apiCommand, connect } from "../connection/connection.ts";
import { examples, explained } from "../help/help-text.ts";
import { clientRows } from "../print/clients.ts";
import { credentialLine } from "../print/credential-line.ts";
import { readOption } from "../input/read-option.ts";
import { oldClientSecretText } from "../input/rotation.ts";
import { showList } from "../connection/show-list.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { credentialParts, type CredentialParts } from "./credential-parts.ts";

export function addClient(program: Command, surroundings: Surroundings): void {
  const client = program
    .command("client")
    .description("the OAuth clients of the account")
    .addHelpText(
      "after",
      examples(
        ["postdate client create --name shop", "a client whose tokens schedule and read messages"],
        ["postdate client rotate-secret cli_…", "a new secret; the old one works for a day"],
      ),
    );
  addClientCreate(client, surroundings);
  addClientList(client, surroundings);
  addClientRotateSecret(client, surroundings);
  addClientDelete(client, surroundings);
}

function addClientCreate(client: Command, surroundings: Surroundings): void {
  const parts = credentialParts("client");
  const command = parts
    .withOptions(apiCommand(client, "create"))
    .description("make an OAuth client; stdout gets its id and its secret, with a space between")
    .addHelpText(
      "after",
      examples(
        ["postdate client create --name shop", "for POST /oauth/token"],
        ["postdate client create --name audit --scope scheduler.all.read", "read everything"],
      ),
    )
    .action(async (options: CredentialParts) => {
      const { service, show, tell } = connect(command, surroundings);
      const client = parts.body(options);
      const created = await service.ask(({ clients }) => clients.create(client));
      show(created, ({ clientId, clientSecret }) => credentialLine(clientId, clientSecret));
      tell(
        created,
        ({ clientId }) => `Made ${clientId}. Its secret is not shown again: keep it now.`,
      );
    });
}

function addClientList(client: Command, surroundings: Surroundings): void {
  const command = apiCommand(client, "list")
    .description("list the OAuth clients, without their secrets")
    .addHelpText("after", examples(["postdate client list", "names, scopes and ids"]))
    .action(async () => {
      await showList(connect(command, surroundings), {
        list: ({ clients }) => clients.list(),
        rows: clientRows,
        none: "No OAuth clients yet: postdate client create makes one.",
      });
    });
}

const overlap = duration("0s", "7d");

function addClientRotateSecret(client: Command, surroundings: Surroundings): void {
  const command = apiCommand(client, "rotate-secret <clientId>")
    .description("make a new secret; stdout gets only the secret")
    .option("--overlap <duration>", "how long the old one also works, up to 7d (default: 24h)")
    .addHelpText(
      "after",
      explained(
        "If you rotate again within the overlap, the oldest secret stops working.",
        ["postdate client rotate-secret cli_…", "change it everywhere within a day"],
        ["postdate client rotate-secret cli_… --overlap 0s", "the old one has leaked"],
      ),
    )
    .action(async (clientId: string, options: { overlap?: string }) => {
      const { service, show, note, tell } = connect(command, surroundings);
      const given = options.overlap;
      const overlapMs =
        given === undefined ? undefined : readOption("--overlap", given, overlap.read);
      const rotation = overlapMs === undefined ? {} : { overlapMs };
      const rotated = await service.ask(({ clients }) => clients.rotateSecret(clientId, rotation));
      show(rotated, ({ clientSecret }) => credentialLine(clientSecret));
      tell(rotated, (_, { now }) => oldClientSecretText(overlapMs, now));
      note("The secret is not shown again: keep it now.");
    });
}

function addClientDelete(client: Command, surroundings: Surroundings): void {
  const command = apiCommand(client, "delete <clientId>")
    .description("remove an OAuth client; its tokens stop working at once")
    .addHelpText("after", examples(["postdate client delete cli_…", "an id from client list"]))
    .action(async (clientId: string) => {
      const { service, show } = connect(command, surroundings);
      const answer = await service.ask(({ clients }) => clients.remove(clientId));
      show(answer, () => `Removed ${clientId}\n`);
    });
}
