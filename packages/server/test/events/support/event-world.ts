import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { EventEndpoint, EventFilter } from "../../../src/domain/events/event-endpoint.ts";
import type { SigningSecrets } from "../../../src/domain/target.ts";
import { systemRandom } from "../../../src/platform/random.ts";
import { createSecretBox } from "../../../src/platform/keyring.ts";
import { farFuture, makeTarget, note, schedule } from "../../../src/storage/conformance/harness.ts";
import { testStores } from "../../../src/storage/postgres/testing/test-stores.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/open-sqlite-store.ts";
import type { Store } from "../../../src/storage/store.ts";
import { sealEventSecrets, sealEventSettings } from "../../../src/targets/sealed-endpoint.ts";

export type StoreKind = "sqlite" | "postgres";

export const secretBox = createSecretBox(Buffer.alloc(32, 5), systemRandom);

export const secrets: SigningSecrets = {
  current: `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
  previous: null,
  previousUntil: null,
};

const anything: EventFilter = { types: ["message.*"], targetIds: null, labels: null };

export interface EndpointChoice {
  readonly accountId?: string;
  readonly endpointId?: string;
  readonly url: string;
  readonly maxBatch?: number;
  readonly filter?: EventFilter;
}

/** A store on which events happen, and webhooks that want them. */
export interface EventWorld {
  readonly store: Store;
  addWebhook(choice: EndpointChoice): Promise<EventEndpoint>;
  /** Schedules so many messages, one after the other, each of which is an event. Answers with their ids. */
  happen(count: number, accountId?: string): Promise<string[]>;
  /** The same, in few commits and in any order. */
  happenTogether(count: number): Promise<void>;
  /** The webhook as the store knows it. */
  webhook(endpointId?: string, accountId?: string): Promise<EventEndpoint>;
}

export interface WorldOptions {
  readonly eventRetentionMs?: number;
}

/** Opens worlds, each on a store of its own, which closes with the test. */
export function eventWorlds(kind: StoreKind): (options?: WorldOptions) => Promise<EventWorld> {
  const open = kind === "sqlite" ? openEmbedded : openShared();
  return async (options = {}) => worldOn(await open(options));
}

async function openEmbedded(options: WorldOptions): Promise<Store> {
  const dataDir = await mkdtemp(join(tmpdir(), "postdate-events-"));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const retentionMs = 3_600_000;
  const store = await openSqliteStore({
    dataDir,
    retentionMs,
    idempotencyRetentionMs: retentionMs,
    ...options,
  });
  onTestFinished(() => store.close());
  return store;
}

function openShared(): (options: WorldOptions) => Promise<Store> {
  const makeStores = testStores();
  return async (options) => (await makeStores()).open(options);
}

export function worldOn(store: Store): EventWorld {
  const accounts = new Set<string>();
  const ensure = async (accountId: string): Promise<void> => {
    if (accounts.has(accountId)) return;
    accounts.add(accountId);
    await store.ensureAccount(accountId, accountId);
    await makeTarget(store, "t", { accountId });
  };
  return {
    store,
    async addWebhook({
      accountId = "acc",
      endpointId = "e",
      url,
      maxBatch = 1,
      filter = anything,
    }) {
      await ensure(accountId);
      const created = await store.createEndpoint(
        {
          ...{ accountId, endpointId, kind: "webhook", filter, maxBatch },
          sealedSettings: sealEventSettings(secretBox, { url, headers: {} }),
          sealedSecrets: sealEventSecrets(secretBox, secrets),
        },
        note({ accountId }),
      );
      if (created.kind !== "created") throw new Error(`no endpoint: ${created.kind}`);
      return created.endpoint;
    },
    async happen(count, accountId = "acc") {
      await ensure(accountId);
      const ids: string[] = [];
      while (ids.length < count) {
        const { messageId } = await schedule(store, "t", farFuture, { accountId });
        ids.push(messageId);
      }
      return ids;
    },
    async happenTogether(count) {
      await ensure("acc");
      const request = {
        ...{ accountId: "acc", targetId: "t", deliveryTime: farFuture, payload: "hello" },
        ...{ options: null, idempotency: null },
      };
      for (let left = count; left > 0; left -= 500) {
        await store.scheduleMessages(Array.from({ length: Math.min(left, 500) }, () => request));
      }
    },
    async webhook(endpointId = "e", accountId = "acc") {
      const endpoint = await store.getEndpoint({ accountId, endpointId });
      if (endpoint === undefined) throw new Error(`no webhook ${endpointId}`);
      return endpoint;
    },
  };
}
