import type { Account } from "@postdate/client";
import type { Command } from "commander";
import { codes } from "../../domain/refusals.ts";
import { apiCommand, connect } from "../connection/connection.ts";
import { operatorKey } from "../connection/key-source.ts";
import type { Connection } from "../connection/connection.ts";
import { examples } from "../help/help-text.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { accountCard, accountRows } from "../print/accounts.ts";
import { credentialLine } from "../print/credential-line.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { showPages, withPaging, type PagingOptions } from "../connection/show-pages.ts";
import { accountBody, withAccountParts, type AccountParts } from "./account-parts.ts";
import { credentialParts, type CredentialParts } from "./credential-parts.ts";

export function addAccount(program: Command, surroundings: Surroundings): void {
  const account = program
    .command("account")
    .description("the accounts of the service; needs the operator's key")
    .addHelpText(
      "after",
      examples(
        ["postdate account create --id shop --monthly-limit 500", "with a free tier"],
        ["postdate account suspend shop", "refuse its keys, deliver nothing"],
      ),
    );
  addAccountCreate(account, surroundings);
  addAccountList(account, surroundings);
  addAccountVerb(account, surroundings, "get", "show an account and what it has used this month");
  addAccountUpdate(account, surroundings);
  addAccountVerb(account, surroundings, "suspend", "refuse its credentials and deliver nothing");
  addAccountVerb(
    account,
    surroundings,
    "resume",
    "accept its credentials again and deliver what became due",
  );
  addAccountDelete(account, surroundings);
  addAccountCreateKey(account, surroundings);
}

function connectOperator(command: Command, surroundings: Surroundings): Connection {
  return connect(command, surroundings, operatorKey);
}

function addAccountCreate(account: Command, surroundings: Surroundings): void {
  const command = withAccountParts(
    apiCommand(account, "create", operatorKey)
      .description("make an account; stdout gets only its first API key, ready for a script")
      .option("--id <accountId>", "its id, up to 64 of A-Z a-z 0-9 _ - (default: generated)"),
  )
    .addHelpText(
      "after",
      examples(
        ["postdate account create --id shop --name 'Blue Shop' > key.txt", "keep its key"],
        ["postdate account create --request-limit 100/1s --json", "with a generated id"],
      ),
    )
    .action(async (options: AccountParts & { id?: string }) => {
      const { service, show, tell } = connectOperator(command, surroundings);
      const { id } = options;
      const account = { ...(id !== undefined && { accountId: id }), ...accountBody(options) };
      const created = await service.ask((postdate) => postdate.accounts.create(account));
      show(created, (shown) => credentialLine(shown.key));
      tell(
        created,
        ({ accountId }) =>
          `Made the account ${accountId}. Its key is not shown again: keep it now.`,
      );
    });
}

function addAccountList(account: Command, surroundings: Surroundings): void {
  const command = withPaging(apiCommand(account, "list", operatorKey))
    .description("list the accounts")
    .addHelpText("after", examples(["postdate account list --all", "every one"]))
    .action(async (options: PagingOptions) => {
      await showPages({
        connection: connectOperator(command, surroundings),
        list: (postdate, paging) => postdate.accounts.list(paging),
        options,
        stdout: surroundings.stdout,
        none: () => "No accounts.",
        rows: accountRows,
      });
    });
}

/** The commands that name an account and show its new state. */
function addAccountVerb(
  account: Command,
  surroundings: Surroundings,
  verb: "get" | "suspend" | "resume",
  description: string,
): void {
  const command = apiCommand(account, `${verb} <accountId>`, operatorKey)
    .description(description)
    .addHelpText("after", examples([`postdate account ${verb} shop`, description]))
    .action(async (accountId: string) => {
      const { service, show } = connectOperator(command, surroundings);
      const answer = await service.find(
        ({ accounts }): Promise<Account | null> => accounts[verb](accountId),
        `There is no account ${accountId}.`,
        codes.accountNotFound,
      );
      show(answer, accountCard);
    });
}

function addAccountUpdate(account: Command, surroundings: Surroundings): void {
  const command = withAccountParts(apiCommand(account, "update <accountId>", operatorKey))
    .description("change the name or the limits of an account")
    .addHelpText(
      "after",
      examples(
        ["postdate account update shop --monthly-limit 10000", "holds at once, for this month too"],
        ["postdate account update shop --request-limit none", "no limit on requests"],
      ),
    )
    .action(async (accountId: string, options: AccountParts) => {
      const { service, show } = connectOperator(command, surroundings);
      const changes = accountBody(options);
      const answer = await service.ask(({ accounts }) => accounts.update(accountId, changes));
      show(answer, accountCard);
    });
}

function addAccountDelete(account: Command, surroundings: Surroundings): void {
  const command = apiCommand(account, "delete <accountId>", operatorKey)
    .description("remove a suspended account and everything in it, for good")
    .option("--yes", "yes, remove it")
    .addHelpText(
      "after",
      examples([
        "postdate account delete shop --yes",
        "once it is suspended; there is no way back",
      ]),
    )
    .action(async (accountId: string, options: { yes?: boolean }) => {
      if (options.yes !== true) {
        throw new CommandFailed(
          exitCodes.usage,
          `This removes ${accountId} with its targets, keys, clients and messages, delivered or not, for good.`,
          "To confirm, add --yes.",
        );
      }
      const { service, show } = connectOperator(command, surroundings);
      const answer = await service.ask(({ accounts }) => accounts.remove(accountId));
      show(answer, () => `Removed ${accountId}\n`);
    });
}

function addAccountCreateKey(account: Command, surroundings: Surroundings): void {
  const parts = credentialParts("key", "scheduler.all.readwrite");
  const command = parts
    .withOptions(apiCommand(account, "create-key <accountId>", operatorKey))
    .description("make an API key for an account that has lost its own; stdout gets only the key")
    .addHelpText(
      "after",
      examples(["postdate account create-key shop --name recovery > key.txt", "a way back in"]),
    )
    .action(async (accountId: string, options: CredentialParts) => {
      const { service, show, tell } = connectOperator(command, surroundings);
      const key = parts.body(options);
      const created = await service.ask(({ accounts }) => accounts.createKey(accountId, key));
      show(created, (shown) => credentialLine(shown.key));
      tell(
        created,
        ({ keyId }) => `Made ${keyId} of ${accountId}. The key is not shown again: keep it now.`,
      );
    });
}
