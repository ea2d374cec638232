import type { Account, AccountWithUsage, Usage } from "@postdate/client";
import { onOneLine } from "../terminal/aligned.ts";
import { cardOf } from "../terminal/card.ts";
import type { Look } from "../terminal/look.ts";
import { timeBeside, timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";
import { rateText } from "./targets.ts";

/** The usage is only in the answer about one account. */
type ShownAccount = Account & Partial<AccountWithUsage>;

export function accountCard(account: ShownAccount, look: Look): string {
  const { now } = look;
  const { usage, suspensionTime } = account;
  const rows: readonly (readonly [string, string])[] = [
    ["Account", account.accountId],
    ["Name", onOneLine(account.name)],
    ["State", stateText(account, look)],
    ["Messages", monthlyText(account.monthlyMessageLimit)],
    ["Requests", rateText(account.requestLimit)],
    ...(usage === undefined ? [] : [["Used", `${usage.used} in ${usage.month}`] as const]),
    ["Created", timeBeside(account.creationTime, now)],
    ...(suspensionTime === null ? [] : [["Suspended", timeBeside(suspensionTime, now)] as const]),
  ];
  return cardOf(rows, look);
}

export function accountRows(accounts: readonly Account[], look: Look): string {
  const titles = ["ACCOUNT", "STATE", "MESSAGES", "CREATED", "NAME"];
  const rows = accounts.map((account) => [
    account.accountId,
    stateText(account, look),
    monthlyText(account.monthlyMessageLimit),
    timeCell(account.creationTime, look.now),
    onOneLine(account.name),
  ]);
  return tableOf({ titles, rows, shortenable: ["NAME"] }, look);
}

export function usageCard(usage: Usage, look: Look): string {
  const rows: readonly (readonly [string, string])[] = [
    ["Month", usage.month],
    ["Used", String(usage.used)],
    ["Limit", usage.limit === null ? "unlimited" : String(usage.limit)],
    ...(usage.remaining === null ? [] : [["Left", String(usage.remaining)] as const]),
    ["Resets", timeBeside(usage.resetTime, look.now)],
  ];
  return cardOf(rows, look);
}

function stateText({ state }: Account, { paint }: Look): string {
  return paint(state === "ACTIVE" ? "green" : "yellow", state.toLowerCase());
}

function monthlyText(limit: number | null): string {
  return limit === null ? "unlimited" : `at most ${limit} a month`;
}
