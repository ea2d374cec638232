import type { DatabaseSync } from "node:sqlite";
import { healthCoverage } from "../../../../domain/events/event-endpoint.ts";
import type { EventEndpoint } from "../../../../domain/events/event-endpoint.ts";
import type { EventEndpointRef } from "../../../store.ts";
import {
  endpointValues,
  insertEndpoint,
  readEndpoint,
  updateEndpointRow,
} from "../../rows/endpoint-rows.ts";
import type { EventMasks } from "./event-masks.ts";
import type { TargetHealthTable } from "./target-health-table.ts";

interface KnownAccounts {
  keyOf(accountId: string): number | undefined;
}

export interface EndpointTableParts {
  readonly accounts: KnownAccounts;
  readonly masks: EventMasks;
  readonly health: TargetHealthTable;
}

export interface StoredEndpoint {
  readonly accountKey: number;
  readonly endpoint: EventEndpoint;
}

/** Reads and writes endpoints, and has the masks follow. The domain decides what a change makes of one. */
export class EndpointTable {
  readonly #accounts: KnownAccounts;
  readonly #masks: EventMasks;
  readonly #health: TargetHealthTable;
  readonly #select;
  readonly #selectOfAccount;
  readonly #insert;
  readonly #update;
  readonly #delete;
  readonly #deleteOfAccount;

  constructor(db: DatabaseSync, { accounts, masks, health }: EndpointTableParts) {
    this.#accounts = accounts;
    this.#masks = masks;
    this.#health = health;
    this.#select = db.prepare(
      "SELECT * FROM event_endpoints WHERE account_key = ? AND endpoint_id = ?",
    );
    this.#selectOfAccount = db.prepare(
      "SELECT * FROM event_endpoints WHERE account_key = ? ORDER BY endpoint_id",
    );
    this.#insert = db.prepare(insertEndpoint);
    this.#update = db.prepare(updateEndpointRow);
    this.#delete = db.prepare(
      "DELETE FROM event_endpoints WHERE account_key = ? AND endpoint_id = ?",
    );
    this.#deleteOfAccount = db.prepare("DELETE FROM event_endpoints WHERE account_key = ?");
  }

  find({ accountId, endpointId }: EventEndpointRef): StoredEndpoint | undefined {
    const accountKey = this.#accounts.keyOf(accountId);
    if (accountKey === undefined) return undefined;
    const row = this.#select.get(accountKey, endpointId);
    return row && { accountKey, endpoint: readEndpoint({ ...row, account_id: accountId }) };
  }

  /** By id. */
  ofAccount(accountId: string): EventEndpoint[] {
    const accountKey = this.#accounts.keyOf(accountId);
    if (accountKey === undefined) return [];
    const rows = this.#selectOfAccount.all(accountKey);
    return rows.map((row) => readEndpoint({ ...row, account_id: accountId }));
  }

  insert(accountKey: number, endpoint: EventEndpoint): void {
    const { accountId, endpointId, kind, creationTime, startPosition } = endpoint;
    this.#insert.run(
      ...[accountKey, endpointId, kind, creationTime, startPosition],
      ...endpointValues(endpoint),
    );
    this.#followFilters(accountKey, accountId);
  }

  update({ accountKey, endpoint: before }: StoredEndpoint, endpoint: EventEndpoint): void {
    this.#update.run(...endpointValues(endpoint), accountKey, endpoint.endpointId);
    if (endpoint.filter !== before.filter) this.#followFilters(accountKey, endpoint.accountId);
  }

  remove({ accountKey, endpoint: { accountId, endpointId } }: StoredEndpoint): void {
    this.#delete.run(accountKey, endpointId);
    this.#followFilters(accountKey, accountId);
  }

  /** The account was removed. What is known of its targets goes with them, in pieces. */
  removeAll(accountKey: number): void {
    this.#deleteOfAccount.run(accountKey);
    this.#masks.set(accountKey, []);
  }

  #followFilters(accountKey: number, accountId: string): void {
    const before = healthCoverage(this.#masks.filtersOf(accountKey));
    const filters = this.ofAccount(accountId).map(({ filter }) => filter);
    this.#masks.set(accountKey, filters);
    this.#health.forgetUntold(accountKey, before, healthCoverage(filters));
  }
}
