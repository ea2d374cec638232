import type { Command } from "commander";
import { scopes } from "../../domain/access.ts";
import type { Scope } from "../../domain/access.ts";
import { collect } from "../input/read-option.ts";

/** What a new API key or OAuth client is given. */
export interface CredentialParts {
  readonly name: string;
  readonly scope?: readonly string[];
}

/** The options that make a credential, and the body of the request that they come to. */
export function credentialParts(
  credential: "key" | "client",
  defaultScope: Scope = "scheduler.messages.readwrite",
) {
  return {
    withOptions: (command: Command): Command =>
      command
        .requiredOption("--name <name>", `what the ${credential} is for`)
        .option(
          "--scope <scope>",
          `repeatable (default: ${defaultScope}); one of ${scopes.join(", ")}`,
          collect,
        ),
    body: ({ name, scope }: CredentialParts) => ({ name, scopes: scope ?? [defaultScope] }),
  };
}
