import { Option, type Command } from "commander";
import { path } from "../api.ts";
import { apiCommand, connect, operatorKey } from "../connection.ts";
import { examples } from "../examples.ts";
import { auditRows } from "../print/audit.ts";
import { readOption, timeText } from "../read-option.ts";
import type { Surroundings } from "../surroundings.ts";
import { showPages, withPaging, type PagingOptions } from "../walk-pages.ts";
import type { WireAuditEntry } from "../wire.ts";

interface AuditOptions extends PagingOptions {
  readonly account?: string;
  readonly allAccounts?: boolean;
  readonly minTime?: string;
  readonly maxTime?: string;
}

export function addAudit(program: Command, surroundings: Surroundings): void {
  const command = withPaging(apiCommand(program, "audit"))
    .description("who did what to the account, its targets, keys and clients, the latest first")
    .option("--account <accountId>", "of another account, with the operator's key")
    .addOption(
      new Option("--all-accounts", "of all accounts, with the operator's key").conflicts("account"),
    )
    .option("--min-time <time>", "nothing before this time")
    .option("--max-time <time>", "nothing after this time")
    .addHelpText(
      "after",
      examples(
        ["postdate audit", "the latest twenty entries of your account"],
        ["postdate audit --all-accounts --all --json", "everything, for an archive"],
      ),
    )
    .action(async (options: AuditOptions) => {
      const { minTime, maxTime } = options;
      if (minTime !== undefined) readOption("--min-time", minTime, timeText);
      if (maxTime !== undefined) readOption("--max-time", maxTime, timeText);
      const forOperator = options.account !== undefined || options.allAccounts === true;
      await showPages<WireAuditEntry>({
        connection: connect(command, surroundings, forOperator ? operatorKey : undefined),
        path: logPath(options),
        query: { minTime, maxTime },
        options,
        stdout: surroundings.stdout,
        none: "Nothing on record.",
        rows: auditRows,
      });
    });
}

function logPath({ account, allAccounts }: AuditOptions): string {
  if (allAccounts === true) return "/operator/audit-log";
  return account === undefined ? "/audit-log" : path("accounts", account, "audit-log");
}
