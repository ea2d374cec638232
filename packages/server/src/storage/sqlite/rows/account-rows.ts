import type { Account } from "../../../domain/account.ts";
import type { Row } from "./rows.ts";

/** The columns of an account `a`, for queries that also read something the account owns. */
export const accountColumns = `
  a.account_id, a.name AS account_name, a.monthly_message_limit, a.request_limit,
  a.creation_time AS account_creation_time, a.suspension_time`;

export function readAccount(row: Row): Account {
  const suspensionTime = row["suspension_time"] as number | null;
  return {
    accountId: row["account_id"] as string,
    name: row["account_name"] as string,
    state: suspensionTime === null ? "ACTIVE" : "SUSPENDED",
    monthlyMessageLimit: row["monthly_message_limit"] as number | null,
    requestLimit: JSON.parse((row["request_limit"] as string | null) ?? "null"),
    creationTime: row["account_creation_time"] as number,
    suspensionTime,
  };
}
