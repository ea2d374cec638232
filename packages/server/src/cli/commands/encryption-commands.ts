import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { operatorKey } from "../connection/key-source.ts";
import { examples } from "../help/help-text.ts";
import { encryptionText } from "../print/encryption.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export function addEncryption(program: Command, surroundings: Surroundings): void {
  const encryption = program
    .command("encryption")
    .description("the keys that seal secrets in the store; needs the operator's key")
    .addHelpText(
      "after",
      examples(
        ["postdate encryption status", "which key seals how much, and how far an exchange is"],
        ["postdate encryption rotate", "seal everything with the present key, or with a new one"],
      ),
    );
  addEncryptionStatus(encryption, surroundings);
  addEncryptionRotate(encryption, surroundings);
}

function addEncryptionStatus(encryption: Command, surroundings: Surroundings): void {
  const command = apiCommand(encryption, "status", operatorKey)
    .description("how many values each encryption key seals, and how far an exchange is")
    .addHelpText("after", examples(["postdate encryption status", "whether a key is still needed"]))
    .action(async () => {
      const { service, show } = connect(command, surroundings, operatorKey);
      show(await service.ask((postdate) => postdate.encryption.status()), encryptionText);
    });
}

function addEncryptionRotate(encryption: Command, surroundings: Surroundings): void {
  const command = apiCommand(encryption, "rotate", operatorKey)
    .description("seal everything anew, in the background, with the key that servers seal with now")
    .addHelpText(
      "after",
      examples(["postdate encryption rotate", "a server that made its key itself makes a new one"]),
    )
    .action(async () => {
      const { service, show, hint } = connect(command, surroundings, operatorKey);
      show(await service.ask((postdate) => postdate.encryption.rotate()), encryptionText);
      hint("`postdate encryption status` says when the key before is not needed any more.");
    });
}
