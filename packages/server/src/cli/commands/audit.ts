import type { AuditEntry, PagedList, Postdate, TimeQuery } from "@postdate/client";
import { Option, type Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { operatorKey } from "../connection/key-source.ts";
import { examples } from "../help/help-text.ts";
import { auditRows } from "../print/audit.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { timeRangeOf, withTimeRange, type TimeRangeOptions } from "../input/time-range.ts";
import { showPages, withPaging, type PagingOptions } from "../connection/show-pages.ts";

interface AuditOptions extends PagingOptions, TimeRangeOptions {
  readonly account?: string;
  readonly allAccounts?: boolean;
}

export function addAudit(program: Command, surroundings: Surroundings): void {
  const command = withPaging(withTimeRange(apiCommand(program, "audit"), "back"))
    .description("who did what to the account, its targets, keys and clients, the latest first")
    .option("--account <accountId>", "of another account, with the operator's key")
    .addOption(
      new Option("--all-accounts", "of all accounts, with the operator's key").conflicts("account"),
    )
    .addHelpText(
      "after",
      examples(
        ["postdate audit", "the latest twenty entries of your account"],
        ["postdate audit --min-time 7d --all", "those of the last week"],
        ['postdate audit --min-time "yesterday 18:00"', "since last night"],
        ["postdate audit --all-accounts --all --json", "everything, for an archive"],
      ),
    )
    .action(async (options: AuditOptions) => {
      const { query, understood } = timeRangeOf(options, surroundings, "back");
      const forOperator = options.account !== undefined || options.allAccounts === true;
      const connection = connect(command, surroundings, forOperator ? operatorKey : undefined);
      connection.explain(understood);
      await showPages({
        connection,
        list: (postdate, paging) => logOf(postdate, options, { ...query, ...paging }),
        options,
        stdout: surroundings.stdout,
        none: () => "Nothing on record.",
        rows: auditRows,
      });
    });
}

function logOf(
  postdate: Postdate,
  { account, allAccounts }: AuditOptions,
  query: TimeQuery,
): PagedList<AuditEntry> {
  if (allAccounts === true) return postdate.operatorAuditLog(query);
  return account === undefined
    ? postdate.auditLog(query)
    : postdate.accounts.auditLog(account, query);
}
