import type { Account } from "../../../domain/account.ts";
import type { Row } from "../connections/connections.ts";

/** The columns of an account `a`, for queries that also read something the account owns. */
export const accountColumns = `
  a.account_id, a.name AS account_name, a.monthly_message_limit, a.request_limit,
  a.creation_time AS account_creation_time, a.suspension_time`;

export function readAccount(row: Row): Account {
  return {
    accountId: row["account_id"],
    name: row["account_name"],
    state: row["suspension_time"] === null ? "ACTIVE" : "SUSPENDED",
    monthlyMessageLimit: row["monthly_message_limit"],
    requestLimit: JSON.parse(row["request_limit"] ?? "null"),
    creationTime: row["account_creation_time"],
    suspensionTime: row["suspension_time"],
  };
}
