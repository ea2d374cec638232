import { writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { defaultRetryPolicy } from "../../packages/server/src/domain/retry-policy.ts";
import { rowKeyOf } from "../../packages/server/src/storage/postgres/rows/message-rows.ts";
import { openPostgresStore } from "../../packages/server/src/storage/postgres/open-postgres-store.ts";
import type {
  Claim,
  FindRequest,
  NewTarget,
  Store,
} from "../../packages/server/src/storage/store.ts";
import { explainStatements } from "./explain-statements.ts";
import { fillWithPending } from "./fill-postgres.ts";
import { startDatabases } from "../databases.ts";

/**
 * Measures what a backlog costs on PostgreSQL. It calls the store's verbs one after the other on an
 * otherwise idle database, with few and with many messages pending, at random times over 30 days and
 * for 100 targets. It prints how long each verb takes. With `--plans` it also writes PostgreSQL's query
 * plans.
 */
const { values } = parseArgs({
  options: {
    pending: { type: "string", default: "10000,10000000" },
    calls: { type: "string", default: "400" },
    plans: { type: "string" },
    "shared-buffers": { type: "string", default: "128MB" },
    json: { type: "boolean", default: false },
  },
});
const calls = Number(values.calls);
const accountId = "acc_bench";
const hourMs = 3_600_000;
const payload = "x".repeat(200);
const rareLabel = "order:4711";
const search: FindRequest = {
  accountId,
  states: ["SCHEDULED"],
  targetId: null,
  labels: [],
  minTime: null,
  maxTime: null,
  order: "newest",
  idTimes: { from: null, until: null },
  after: null,
  limit: 21,
};

const measured: Record<string, Record<string, number>> = {};
const plans: string[] = [];
for (const pending of values.pending.split(",").map(Number)) {
  console.error(`${pending.toLocaleString("en")} pending: filling …`);
  const databases = await startDatabases({ shared_buffers: values["shared-buffers"] });
  const databaseUrl = await databases.create();
  const store = await openPostgresStore({
    databaseUrl,
    retentionMs: 24 * hourMs,
    idempotencyRetentionMs: 24 * hourMs,
    leaseMs: 600_000,
    monthlyMessageLimit: null,
  });
  await store.ensureAccount(accountId, "Bench");
  const targetKeys: number[] = [];
  for (let index = 0; index < 100; index++)
    targetKeys.push(await makeTarget(store, `later-${index}`));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const ids = await fillWithPending(client, { accountId, targetKeys, pending });
  await labelTen(client, ids);
  console.error(`${pending.toLocaleString("en")} pending: measuring …`);
  measured[pending] = await measure(store, ids, calls);
  measured[pending]["bytes per message"] = Math.round((await sizeOf(client)) / pending);
  if (values.plans !== undefined) {
    const explained = explainStatements();
    await measure(store, ids.toReversed(), 1);
    explained.stop();
    for (const [name, plan] of explained.plans) {
      plans.push(`== ${name}, ${pending.toLocaleString("en")} pending\n${plan}\n`);
    }
  }
  await client.end();
  await store.close();
  await databases.stop();
}
if (values.plans !== undefined) await writeFile(values.plans, plans.join("\n"));
console.log(values.json ? JSON.stringify(measured) : table());

async function makeTarget(store: Store, targetId: string): Promise<number> {
  const made: NewTarget = {
    accountId,
    targetId,
    kind: "webhook",
    sealedSettings: "settings",
    sealedSecrets: "secrets",
    retryPolicy: defaultRetryPolicy,
    maxConcurrency: 1_000,
    rateLimit: null,
    paused: false,
  };
  const target = await store.createTarget(made, {
    entryId: targetId,
    actor: { kind: "service", id: "bench" },
    requestId: null,
    action: "target.created",
    accountId,
    subjectId: targetId,
    detail: {},
  });
  if (typeof target === "string") throw new Error(`${targetId}: ${target}`);
  return target.targetKey;
}

/** Ten of all messages, wherever they are among the others. */
async function labelTen(client: pg.Client, ids: readonly string[]): Promise<void> {
  const keys = ids.slice(-10).map((messageId) => rowKeyOf(messageId));
  await client.query("INSERT INTO message_labels SELECT $1, $2, unnest($3::uuid[])", [
    accountId,
    rareLabel,
    keys,
  ]);
}

/** The median time of each verb, in milliseconds. */
async function measure(
  store: Store,
  ids: readonly string[],
  repeats: number,
): Promise<Record<string, number>> {
  const times: Record<string, number[]> = {};
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    const result = await work();
    (times[name] ??= []).push(performance.now() - from);
    return result;
  };
  const holder = await store.join("bench", "all");
  const target = (index: number): string => `later-${index % 100}`;
  const request = (index: number, deliveryTime: number) => ({
    accountId,
    targetId: target(index),
    deliveryTime,
    payload,
    options: null,
    idempotency: null,
  });
  const later = (): number => store.clock.now() + hourMs + Math.random() * 720 * hourMs;
  for (let index = 0; index < repeats; index++) {
    await timed("schedule one", () =>
      store.scheduleMessages([request(index, Math.floor(later()))]),
    );
    const [due] = await store.scheduleMessages([request(index, 1_000)]);
    if (due?.kind !== "scheduled") throw new Error("not scheduled");
    const { claims } = await timed("claim one", () =>
      store.claimDue(holder, [{ targetKey: due.targetKey, limit: 50 }]),
    );
    await timed("record one", () => store.recordAttempts(holder, [delivered(claims[0]!)]));
    const list = {
      accountId,
      targetId: target(index),
      minTime: Math.floor(later()),
      maxTime: null,
      after: null,
      limit: 50,
    };
    await timed("list 50 of a target", () => store.listScheduledMessages(list));
    await timed("find by a label on ten", () =>
      store.findMessages({ ...search, labels: [rareLabel] }),
    );
    await timed("find the newest", () => store.findMessages(search));
    await timed("find none in a state", () =>
      store.findMessages({ ...search, states: ["DEAD_LETTER"] }),
    );
    const messageId = ids[index % ids.length]!;
    await timed("get", () => store.getMessage({ accountId, messageId }));
    await timed("cancel", () => store.cancelMessage({ accountId, messageId, waitMs: 0 }));
    const now = store.clock.now();
    await timed("look ahead", () =>
      store.upcoming({ after: null, until: now + 2_000, limit: 5_000 }),
    );
    if (index % 20 === 0) {
      const batch = Array.from({ length: 1_000 }, (_, number) =>
        request(number, Math.floor(later())),
      );
      await timed("schedule a batch of 1,000", () => store.scheduleMessages(batch));
    }
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, each]) => {
      const sorted = each.toSorted((a, b) => a - b);
      return [name, Math.round(sorted[sorted.length >> 1]! * 100) / 100];
    }),
  );
}

function delivered(claim: Claim) {
  const { messageId, version, attemptNumber } = claim;
  const attempt = {
    number: attemptNumber,
    startTime: claim.dueAt,
    endTime: claim.dueAt + 1,
    outcome: "DELIVERED" as const,
    statusCode: 204,
    error: null,
    response: null,
  };
  return { messageId, version, attempt, next: { kind: "delivered" as const } };
}

async function sizeOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query("SELECT pg_total_relation_size('messages')::float8 AS bytes");
  return (rows[0] as { bytes: number }).bytes;
}

function table(): string {
  const sizes = Object.keys(measured);
  const [few, many] = [measured[sizes[0]!]!, measured[sizes.at(-1)!]!];
  const heading = ["median ms", ...sizes.map((size) => Number(size).toLocaleString("en")), "ratio"];
  const lines = Object.keys(few).map((name) => [
    name,
    ...sizes.map((size) => String(measured[size]![name])),
    (many[name]! / few[name]!).toFixed(2),
  ]);
  return [heading, ...lines, [`${cpus().length} × ${cpus()[0]?.model ?? "cpu"}`]]
    .map(([first, ...rest]) => first!.padEnd(28) + rest.map((cell) => cell.padStart(14)).join(""))
    .join("\n");
}
