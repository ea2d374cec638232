import { apiOf, inMs } from "../../support/api.ts";
import type { ApiAnswer, CallOptions } from "../../support/api.ts";
import { operatorKey, rootKey } from "../../support/server-process.ts";

/** What the old version has answered, and what must be so after the upgrade. */
export interface Facts {
  /** The secret that the target's deliveries are signed with. */
  readonly signingSecret: string;
  /** An API key with the scope of messages. */
  readonly key: string;
  readonly client: { readonly clientId: string; readonly clientSecret: string };
  readonly secondAccount: { readonly key: string; readonly dueMessageId: string };
  /** Due a moment after the old version was killed, with their payloads. */
  readonly due: Readonly<Record<string, string>>;
  /** What the old version answered about messages that nothing happens to any more. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly settled: readonly any[];
  /** The job that was under way, and the messages that it moves, as they were before it began. */
  readonly jobId: string;
  readonly moved: Readonly<Record<string, string>>;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly targets: readonly any[];
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly schedules: readonly any[];
}

/** Ports below 32768 are not given to outgoing connections. The sealed addresses of targets name this one. */
export const receiverPort = 17_813;
export const authorization = "Bearer given to the old version";
export const shiftByMs = 3_600_000;
export const serverArgs = ["--retention", "3650d", "--audit-retention", "3650d"];
export const serverEnv = {
  POSTDATE_OPERATOR_KEY: operatorKey,
  POSTDATE_ENCRYPTION_KEY: "5e".repeat(32),
};

const receiver = `http://127.0.0.1:${receiverPort}`;
const odd = 'NUL \0, emoji 🙂, lone quote \', "double", back\\slash, \u2028 end';

/** Fills a server with everything that the old version can keep. The receiver must be listening. */
export async function populate(url: string): Promise<Facts> {
  const call = async (method: string, path: string, options: CallOptions = {}) => {
    const answer: ApiAnswer = await apiOf(url, rootKey)(method, path, options);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };
  const post = (path: string, body: unknown, key: string = rootKey) =>
    call("POST", path, { body, key });
  const inState = async (messageId: string, state: string): Promise<void> => {
    const read = async () => (await call("GET", `/v1/messages/${messageId}`)).state;
    while ((await read()) !== state);
  };

  const shop = await post("/v1/targets", {
    targetId: "shop",
    url: `${receiver}/shop`,
    headers: { authorization },
  });
  const once = { maxAttempts: 1 };
  await post("/v1/targets", { targetId: "failing", url: `${receiver}/failing`, retryPolicy: once });
  await post("/v1/targets", { targetId: "shifted", url: `${receiver}/shop`, paused: true });

  const schedule = async (more: object, targetId = "shop") =>
    (await post("/v1/messages", { targetId, payload: "hello", ...more })).messageId as string;
  const delivered = await schedule({ delayMs: 0, payload: odd });
  const dead = await schedule({ delayMs: 0 }, "failing");
  await inState(delivered, "DELIVERED");
  await inState(dead, "DEAD_LETTER");
  const cancelled = await schedule({ deliveryTime: "2999-01-01T00:00:00Z" });
  await call("POST", `/v1/messages/${cancelled}/cancel`);
  const far = await schedule({
    deliveryTime: "9000-01-01T00:00:00Z",
    key: "order 7",
    labels: { order: "7" },
    headers: { "x-kind": "reminder" },
    payload: odd,
  });

  const key = await post("/v1/keys", { name: "of the shop", scopes: ["scheduler.all.readwrite"] });
  const client = await post("/v1/clients", { name: "tokens", scopes: ["scheduler.all.read"] });
  const second = await post(
    "/v1/accounts",
    { accountId: "acc_second", name: "Second" },
    operatorKey,
  );
  await post("/v1/targets", { targetId: "shop", url: `${receiver}/second` }, second.key);

  const at = { cron: "0 9 * * *", timeZone: "Europe/Berlin", startTime: "2900-01-01T00:00:00Z" };
  await post("/v1/schedules", {
    scheduleId: "daily",
    targetId: "shop",
    payload: "good morning",
    ...at,
  });
  await post("/v1/schedules", { scheduleId: "resting", targetId: "shop", payload: "later", ...at });
  await post("/v1/schedules/resting/pause", { note: "until the upgrade" });

  const moved: Record<string, string> = {};
  for (let number = 0; number < 5; number++) {
    const deliveryTime = new Date(Date.UTC(3000, 0, 1 + number)).toISOString();
    moved[await schedule({ deliveryTime }, "shifted")] = deliveryTime;
  }
  const shift = { action: "shift", filter: { targetId: "shifted" }, byMs: shiftByMs };
  const { jobId } = await post("/v1/jobs", { ...shift, ratePerSecond: 1 });

  const dueTime = inMs(20_000);
  const due: Record<string, string> = {};
  for (const payload of ["first", "", odd]) {
    due[await schedule({ deliveryTime: dueTime, payload })] = payload;
  }
  const ofSecond = await post(
    "/v1/messages",
    { targetId: "shop", deliveryTime: dueTime, payload: "of the second account" },
    second.key,
  );
  const firstStep = async () => (await call("GET", `/v1/jobs/${jobId}`)).done;
  while ((await firstStep()) === 0);
  const read = (path: string) => call("GET", path);
  return {
    signingSecret: shop.secret,
    key: key.key,
    client,
    secondAccount: { key: second.key, dueMessageId: ofSecond.messageId },
    due,
    settled: await Promise.all(
      [delivered, dead, cancelled, far].map((id) => read(`/v1/messages/${id}`)),
    ),
    jobId,
    moved,
    targets: (await read("/v1/targets")).items,
    schedules: await Promise.all(["daily", "resting"].map((id) => read(`/v1/schedules/${id}`))),
  };
}
