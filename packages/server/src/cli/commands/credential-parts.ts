import { Option, type Command } from "commander";
import { scopes } from "../../domain/access.ts";
import type { Scope } from "../../domain/access.ts";
import { collect } from "../input/read-option.ts";

/** The fields of a new API key or OAuth client. */
export interface CredentialParts {
  readonly name: string;
  readonly scope?: readonly string[];
}

/** The options of a new credential, and the request body that they make. */
export function credentialParts(
  credential: "key" | "client",
  defaultScope: Scope = "scheduler.messages.readwrite",
) {
  return {
    withOptions: (command: Command): Command =>
      command
        .requiredOption("--name <name>", `what the ${credential} is for`)
        .addOption(
          new Option("--scope <scope>", `what it may do; repeatable (default: ${defaultScope})`)
            .choices(scopes)
            .argParser(collect),
        ),
    // The service says which scopes there are.
    body: ({ name, scope }: CredentialParts) => ({
      name,
      scopes: (scope ?? [defaultScope]) as Scope[],
    }),
  };
}
