import type { EventEndpoint } from "../../../domain/events/event-endpoint.ts";
import type { Row } from "../connections/connections.ts";

type Columns = Readonly<Record<string, (endpoint: EventEndpoint) => unknown>>;

/** Columns that an update writes. Every update writes all of them. */
const changing: Columns = {
  filter: ({ filter }) => JSON.stringify(filter),
  sealed_settings: ({ sealedSettings }) => sealedSettings,
  sealed_secrets: ({ sealedSecrets }) => sealedSecrets,
  max_batch: ({ maxBatch }) => maxBatch,
  paused: ({ paused }) => paused,
  disabled_time: ({ disabledTime }) => disabledTime,
  update_time: ({ updateTime }) => updateTime,
  revision: ({ revision }) => revision,
  progress: ({ progress }) => progress && JSON.stringify(progress),
};

const all: Columns = {
  account_id: ({ accountId }) => accountId,
  endpoint_id: ({ endpointId }) => endpointId,
  kind: ({ kind }) => kind,
  creation_time: ({ creationTime }) => creationTime,
  start_position: ({ startPosition }) => startPosition,
  ...changing,
};

/** The columns for `readEndpoint`, of a row `p`. */
export const endpointColumns = Object.keys(all)
  .map((column) => `p.${column}`)
  .join(", ");

export const insertEndpoint = {
  name: "create-endpoint",
  text: `INSERT INTO event_endpoints (${Object.keys(all).join(", ")})
    VALUES (${Object.keys(all)
      .map((_, index) => `$${index + 1}`)
      .join(", ")})`,
};

export function endpointValues(endpoint: EventEndpoint): unknown[] {
  return Object.values(all).map((valueOf) => valueOf(endpoint));
}

export const updateEndpointRow = {
  name: "update-endpoint",
  text: `UPDATE event_endpoints SET ${Object.keys(changing)
    .map((column, index) => `${column} = $${index + 3}`)
    .join(", ")}
    WHERE account_id = $1 AND endpoint_id = $2`,
};

export function changingEndpointValues(endpoint: EventEndpoint): unknown[] {
  return [
    ...[endpoint.accountId, endpoint.endpointId],
    ...Object.values(changing).map((valueOf) => valueOf(endpoint)),
  ];
}

export function readEndpoint(row: Row): EventEndpoint {
  return {
    accountId: row["account_id"],
    endpointId: row["endpoint_id"],
    kind: row["kind"],
    filter: JSON.parse(row["filter"]),
    sealedSettings: row["sealed_settings"],
    sealedSecrets: row["sealed_secrets"],
    maxBatch: row["max_batch"],
    paused: row["paused"],
    disabledTime: row["disabled_time"],
    creationTime: row["creation_time"],
    updateTime: row["update_time"],
    revision: row["revision"],
    startPosition: row["start_position"],
    progress: row["progress"] === null ? null : JSON.parse(row["progress"]),
  };
}
