import type { Settings } from "../config/settings.ts";
import type { Store } from "../storage/store.ts";
import { makeDataFolder } from "./first-start/data-folder.ts";

export interface OpenStoreOptions {
  readonly settings: Settings;
  /** Called with the number of calls that shared a commit. */
  readonly onBatch: (size: number) => void;
  readonly onFatal: (error: Error) => void;
}

/** Loads only the store that is used. */
export async function openStore({ settings, onBatch, onFatal }: OpenStoreOptions): Promise<Store> {
  const { dataDir, databaseUrl, nodeLeaseMs, retentionMs, idempotencyRetentionMs, schemaUpgrade } =
    settings;
  const common = {
    schemaUpgrade,
    retentionMs,
    idempotencyRetentionMs,
    monthlyMessageLimit: settings.monthlyMessageLimit,
    requestLimit: settings.requestLimit,
    auditRetentionMs: settings.auditRetentionMs,
    eventRetentionMs: settings.eventRetentionMs,
    eventLimit: settings.eventLimit,
    onBatch,
  };
  if (databaseUrl !== null) {
    const { openPostgresStore } = await import("../storage/postgres/open-postgres-store.ts");
    return openPostgresStore({ ...common, databaseUrl, leaseMs: nodeLeaseMs });
  }
  makeDataFolder(dataDir);
  const { openSqliteStore } = await import("../storage/sqlite/open-sqlite-store.ts");
  return openSqliteStore({ ...common, dataDir, onFatal });
}
