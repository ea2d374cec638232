import type { EventEndpoint, EndpointKind } from "../../../domain/events/event-endpoint.ts";
import { assignments, insertInto } from "./rows.ts";
import type { Row, ValuesOf } from "./rows.ts";

/** Columns that an update writes. Every update writes all of them. */
const changing = [
  "filter",
  "sealed_settings",
  "sealed_secrets",
  "max_batch",
  "paused",
  "disabled_time",
  "update_time",
  "revision",
  "progress",
] as const;

const fixed = ["account_key", "endpoint_id", "kind", "creation_time", "start_position"] as const;

/** Takes the account's key, the endpoint's id, kind, creation time and start, and `endpointValues`. */
export const insertEndpoint = insertInto("event_endpoints", [...fixed, ...changing]);

/** Takes `endpointValues`, the account's key and the endpoint's id. */
export const updateEndpointRow = `UPDATE event_endpoints SET ${assignments(changing)}
  WHERE account_key = ? AND endpoint_id = ?`;

export function endpointValues(endpoint: EventEndpoint): ValuesOf<typeof changing> {
  return [
    JSON.stringify(endpoint.filter),
    endpoint.sealedSettings,
    endpoint.sealedSecrets,
    endpoint.maxBatch,
    Number(endpoint.paused),
    endpoint.disabledTime,
    endpoint.updateTime,
    endpoint.revision,
    endpoint.progress && JSON.stringify(endpoint.progress),
  ];
}

/** From a row with all columns and the account's id. */
export function readEndpoint(row: Row): EventEndpoint {
  return {
    accountId: row["account_id"] as string,
    endpointId: row["endpoint_id"] as string,
    kind: row["kind"] as EndpointKind,
    filter: JSON.parse(row["filter"] as string),
    sealedSettings: row["sealed_settings"] as string | null,
    sealedSecrets: row["sealed_secrets"] as string | null,
    maxBatch: row["max_batch"] as number,
    paused: row["paused"] === 1,
    disabledTime: row["disabled_time"] as number | null,
    creationTime: row["creation_time"] as number,
    updateTime: row["update_time"] as number,
    revision: row["revision"] as number,
    startPosition: row["start_position"] as number,
    progress: row["progress"] === null ? null : JSON.parse(row["progress"] as string),
  };
}
