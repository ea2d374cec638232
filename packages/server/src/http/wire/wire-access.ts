import type { Account } from "../../domain/account.ts";
import type { AuditDetail, AuditEntry } from "../../domain/audit.ts";
import type { Client } from "../../domain/client.ts";
import type { Session } from "../../domain/session.ts";
import { formatTime } from "../../domain/times.ts";
import type { AccountWithUsage } from "../../operations/accounts/get-account.ts";
import type { UsageView } from "../../operations/accounts/get-usage.ts";
import { timeOrNull } from "./wire-messages.ts";

/** An account as its own callers see it. */
export function wireOwnAccount(account: Account) {
  return {
    accountId: account.accountId,
    name: account.name,
    state: account.state,
    monthlyMessageLimit: account.monthlyMessageLimit,
    requestLimit: account.requestLimit,
    creationTime: formatTime(account.creationTime),
  };
}

/** An account as the operator sees it. */
export function wireAccount(account: Account) {
  return { ...wireOwnAccount(account), suspensionTime: timeOrNull(account.suspensionTime) };
}

export function wireAccountWithUsage(account: AccountWithUsage) {
  return { ...wireAccount(account), usage: account.usage };
}

export function wireClient(client: Client) {
  return {
    clientId: client.clientId,
    name: client.name,
    scopes: [...client.scopes],
    creationTime: formatTime(client.creationTime),
    secretTime: formatTime(client.secretTime),
  };
}

export function wireSession(session: Session) {
  return {
    accountId: session.accountId,
    keyId: session.keyId,
    scopes: [...session.scopes],
    creationTime: formatTime(session.creationTime),
    expirationTime: formatTime(session.expirationTime),
  };
}

export function wireUsage(usage: UsageView) {
  return {
    month: usage.month,
    used: usage.used,
    limit: usage.limit,
    remaining: usage.remaining,
    resetTime: formatTime(usage.resetTime),
  };
}

export function wireAuditEntry(entry: AuditEntry) {
  return {
    entryId: entry.entryId,
    time: formatTime(entry.time),
    actor: { kind: entry.actor.kind, id: entry.actor.id },
    requestId: entry.requestId,
    action: entry.action,
    subjectId: entry.subjectId,
    detail: wireDetail(entry.detail),
  };
}

export function wireOperatorAuditEntry(entry: AuditEntry) {
  return { ...wireAuditEntry(entry), accountId: entry.accountId };
}

function wireDetail(detail: AuditDetail) {
  return detail as Record<string, string | number | boolean | null | string[]>;
}
