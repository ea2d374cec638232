import { randomBytes } from "node:crypto";
import type { ApiAnswer } from "../support/api.ts";
import { rawRequest } from "../support/raw-request.ts";
import { farAway, held, status } from "../support/shared-service.ts";
import type { SharedService } from "../support/shared-service.ts";
import type { Secrets } from "./find-secrets.ts";
import { browserOf } from "./browser.ts";
import { basic, createClient, ownToken, sendForm } from "./oauth-client.ts";
import type { Subject } from "./subject.ts";

const made = (prefix: string): string => prefix + randomBytes(24).toString("base64url");
const givenSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;
const grant = { grant_type: "client_credentials" };

/** Runs every operation that handles a target's secrets, including deliveries with every outcome. */
export async function useTargetSecrets(
  { service }: Subject,
  payload: string,
): Promise<{
  readonly secrets: Secrets;
  readonly messageIds: string[];
  readonly targetId: string;
  /** The answers to changes that show no secret. */
  readonly changes: string;
}> {
  const told = await tellOfEverything(service);
  const header = made("upstream_");
  const later = made("downstream_");
  const ofMessage = made("onestream_");
  const query = made("hook_");
  const given = givenSecret();
  const target = await service.target({
    secret: given,
    headers: { authorization: `Bearer ${header}` },
    retryPolicy: { maxAttempts: 1 },
  });
  const path = `/v1/targets/${target.targetId}`;
  const messageIds: string[] = [];
  const deliver = async (state: string): Promise<void> => {
    const own = { authorization: `Bearer ${ofMessage}`, "x-message": ofMessage };
    const { messageId } = await target.schedule({ payload, headers: own });
    messageIds.push(messageId);
    await service.reaches(messageId, state);
  };
  await deliver("DELIVERED");
  target.answerWith(({ headers: sent }, response) => {
    response.writeHead(200).end(`${JSON.stringify(sent)} ${String(sent["x-message"])}`);
  });
  await deliver("DELIVERED");
  const generated: string = (await service.ok("POST", `${path}/rotate-secret`)).secret;
  target.answerWith(status(500));
  await deliver("DEAD_LETTER");
  target.answerWith(held().answer);
  const headers = { authorization: "set", "x-later": later };
  const changed = await service.ok("PATCH", path, { body: { timeoutMs: 100, headers } });
  await deliver("DEAD_LETTER");
  await service.ok("POST", `${path}/test`, { body: { payload } });
  const third = givenSecret();
  const body = { secret: third, overlapMs: 0 };
  await service.ok("POST", `${path}/rotate-secret`, { body });
  const again = { authorization: `Bearer ${header}`, "x-later": later };
  for (const [place, state] of [
    ["http://127.0.0.1:1/", "DEAD_LETTER"],
    ["http://name.invalid/", "DEAD_LETTER"],
    [service.receiver.url + target.path, "DELIVERED"],
  ] as const) {
    const elsewhere = { url: `${place}?token=${query}`, headers: again, timeoutMs: null };
    await service.ok("PATCH", path, { body: elsewhere });
    await deliver(state);
  }
  await service.ok("PATCH", path, { body: { headers: changed.headers } });
  await deliver("DELIVERED");
  const ofSchedule = made("manystream_");
  const recurring = { headers: { authorization: `Bearer ${ofSchedule}`, "x-message": ofSchedule } };
  const schedule = { targetId: target.targetId, payload, cron: "@daily", startTime: farAway };
  const place = "/v1/schedules/spilled";
  const created = await service.api("PUT", place, { body: { ...schedule, message: recurring } });
  const kept = { message: { headers: { "x-message": "set" }, labels: { a: "b" } } };
  const patched = await service.ok("PATCH", place, { body: kept });
  const run = (await service.api("POST", `${place}/trigger`)).body;
  messageIds.push(run.messageId);
  await service.reaches(run.messageId, "DELIVERED");
  const paused = await service.ok("POST", `${place}/pause`);
  const removed = await service.target({ headers: { "x-removed": later } });
  const gone = await service.ok("DELETE", `/v1/targets/${removed.targetId}`);
  const toldLater = await told.change();
  return {
    targetId: target.targetId,
    changes: JSON.stringify([changed, gone, created.body, patched, run, paused, toldLater]),
    messageIds,
    secrets: {
      "a header of a target": header,
      "a header given later": later,
      "a header of a message": ofMessage,
      "a header of a schedule": ofSchedule,
      ...told.secrets,
      "the query of a target's url": query,
      "the first signing secret": given,
      "the bytes of the first signing secret": Buffer.from(given.slice(6), "base64"),
      "a generated signing secret": generated,
      "the bytes of a generated signing secret": Buffer.from(generated.slice(6), "base64"),
      "a signing secret brought for a rotation": third,
    },
  };
}

/** Subscribes to everything, by a stream and by a webhook with secrets of its own. */
async function tellOfEverything(service: SharedService) {
  const header = made("eventstream_");
  const given = givenSecret();
  const types = ["message.*", "target.*", "schedule.*", "job.*", "endpoint.*"];
  const path = "/v1/event-endpoints";
  const url = `${service.receiver.url}/told`;
  const webhook = { endpointId: "told", kind: "webhook", types, url, secret: given };
  for (const body of [
    { endpointId: "spilled", kind: "stream", types },
    { ...webhook, headers: { authorization: `Bearer ${header}` } },
  ]) {
    const answer = await service.api("POST", path, { body });
    if (answer.status !== 201) throw new Error(answer.text);
  }
  await service.ok("POST", `${path}/told/test`);
  const { secret: generated } = await service.ok("POST", `${path}/told/rotate-secret`);
  return {
    secrets: {
      "a header of an event endpoint": header,
      "the signing secret of an event endpoint": given,
      "a generated secret of an event endpoint": generated as string,
    },
    change: async () => [
      await service.ok("PATCH", `${path}/told`, { body: { maxBatch: 10 } }),
      await service.ok("POST", `${path}/told/pause`),
      await service.ok("POST", `${path}/told/resume`),
      await service.ok("POST", `${path}/told/rewind`, { body: { to: "2020-01-01T00:00:00Z" } }),
    ],
  };
}

/** Creates, uses, mistypes, changes and ends credentials of every kind. */
export async function useCredentials(subject: Subject): Promise<Secrets> {
  const { service } = subject;
  const look = (key: string) => service.api("GET", "/v1/targets", { key });
  const account = await subject.account();
  const body = { name: "spilled", scopes: ["scheduler.all.readwrite"] };
  const kept = await service.ok("POST", "/v1/keys", { key: account.key, body });
  const second = await service.ok("POST", "/v1/keys", { key: account.key, body });
  const byOperator = await subject.manage("POST", `/v1/accounts/${account.accountId}/keys`, body);
  const client = await createClient(subject, { key: account.key });
  const token = await ownToken(subject, client);
  const ended = await ownToken(subject, client);
  const rotated = await service.ok("POST", `/v1/clients/${client.clientId}/rotate-secret`, {
    key: account.key,
  });
  const trusted = await subject.issuer.token({ tenant: account.accountId });
  const expired = await subject.issuer.token({ exp: 1 });
  for (const { key } of [account, kept, second, byOperator]) await look(key);
  for (const key of [token, trusted]) await look(key);

  const mistypedKey = made("pd_");
  const mistypedSecret = made("pds_");
  const mistypedOperatorKey = made("pdo_");
  for (const key of [mistypedKey, mistypedOperatorKey, expired, `${token}x`]) await look(key);
  const { clientId } = client;
  await sendForm(subject, "/oauth/token", grant, basic(clientId, mistypedSecret));
  const inBody = { client_id: clientId, client_secret: rotated.clientSecret };
  await sendForm(subject, "/oauth/token", { ...grant, ...inBody });
  await sendForm(subject, "/oauth/revoke", { token: ended, ...inBody });
  await look(ended);
  const { signIn, cookieFor, ask } = browserOf(subject);
  const session = await cookieFor(kept.key);
  await ask(session, "GET", "/v1/targets");
  const ofRevoked = await cookieFor(second.key);
  await signIn(mistypedKey);
  await service.ok("DELETE", `/v1/keys/${second.keyId}`, { key: account.key });
  await look(second.key);
  await ask(ofRevoked, "GET", "/v1/targets");
  return {
    "an account's first key": account.key,
    "a key of its own making": kept.key,
    "a key that was revoked": second.key,
    "a key made by the operator": byOperator.key,
    "a session": session.split("=")[1]!,
    "a session that has ended": ofRevoked.split("=")[1]!,
    "a client's secret": rotated.clientSecret,
    "a client's secret before": client.clientSecret,
    "an access token": token,
    "the signature of an access token": token.split(".")[2]!,
    "a token that was revoked": ended,
    "a token of another issuer": trusted,
    "a token that has expired": expired,
    "a key mistyped": mistypedKey,
    "an operator's key mistyped": mistypedOperatorKey,
    "a client's secret mistyped": mistypedSecret,
  };
}

/** Sends a secret where it does not belong. Returns the answers by place of the secret. */
export async function misplaceSecret(
  subject: Subject,
  secret: string,
): Promise<Readonly<Record<string, string>>> {
  const { service } = subject;
  const inUrl = encodeURIComponent(secret);
  const answers: Record<string, string> = {};
  const note = async (place: string, answer: Promise<ApiAnswer | string>): Promise<void> => {
    const said = await answer;
    answers[place] =
      typeof said === "string"
        ? said
        : `${said.status} ${[...said.headers].join("\n")} ${said.text}`;
  };
  const send = (path: string, body: unknown) => service.api("POST", path, { body });
  const raw = (text: string) => rawRequest(service.server.url, text);

  await Promise.all([
    note("no route", service.api("GET", `/${inUrl}`)),
    note("a broken path", service.api("GET", `/v1/%zz${inUrl}`)),
    note("the id of a message", service.api("GET", `/v1/messages/${inUrl}`)),
    note("the id of a message to cancel", service.api("POST", `/v1/messages/${inUrl}/cancel`)),
    note("the id of a key", service.api("DELETE", `/v1/keys/${inUrl}`)),
    note("the id of a client", service.api("GET", `/v1/clients/${inUrl}`)),
    note("a parameter", service.api("GET", `/v1/targets?key=${inUrl}`)),
    note("a page token", service.api("GET", `/v1/targets?pageToken=${inUrl}`)),
    note("a limit", service.api("GET", `/v1/targets?limit=${inUrl}`)),
    note("a time", service.api("GET", `/v1/audit-log?minTime=${inUrl}`)),
    note("a cookie", service.api("GET", "/v1/targets", { key: null, headers: { cookie: secret } })),
    note("another scheme", withAuthorization(service, `Basic ${secret}`)),
    note("no scheme", withAuthorization(service, secret)),
    note("broken JSON", send("/v1/messages", `{"key": "${secret}`)),
    note("a text for a number", send("/v1/targets", { url: "https://x.test", timeoutMs: secret })),
    note(
      "a delivery time",
      send("/v1/messages", { targetId: "x", deliveryTime: secret, payload: "" }),
    ),
    note("a message's header nobody may set", send("/v1/messages", messageWith({ host: secret }))),
    note(
      "a message's header with a line break",
      send("/v1/messages", messageWith({ x: `${secret}\n` })),
    ),
    note("a message's bound", send("/v1/messages", { ...messageWith({}), notAfter: secret })),
    note(
      "a schedule's header nobody may set",
      send("/v1/schedules", { ...scheduleWith({}), message: { headers: { host: secret } } }),
    ),
    note("a cron expression", send("/v1/schedules", scheduleWith({ cron: secret }))),
    note("a time zone", send("/v1/schedules", scheduleWith({ timeZone: secret }))),
    note("a day that is left out", send("/v1/schedules", scheduleWith({ except: [secret] }))),
    note("the id of a schedule", service.api("GET", `/v1/schedules/${inUrl}`)),
    note("a scope", send("/v1/keys", { name: "x", scopes: [secret] })),
    note("a password in a url", send("/v1/targets", { url: `https://u:${inUrl}@x.test/` })),
    note("a header nobody may set", send("/v1/targets", targetWith({ host: secret }))),
    note("a header with a line break", send("/v1/targets", targetWith({ x: `${secret}\n` }))),
    note(
      "a signing secret",
      send("/v1/targets", { ...targetWith({}), secret: `whsec_${secret}!` }),
    ),
    note("a form", sendForm(subject, "/v1/messages", { key: secret })),
    note("a grant", sendForm(subject, "/oauth/token", { grant_type: secret })),
    note("a client's id", sendForm(subject, "/oauth/token", { ...grant, client_id: secret })),
    note(
      "the token endpoint's query",
      sendForm(subject, `/oauth/token?client_secret=${inUrl}`, grant),
    ),
    note("a method", raw(`${secret.replaceAll(/\W/g, "")} / HTTP/1.1\r\n\r\n`)),
    note("a broken header", raw(`GET / HTTP/1.1\r\nAuthorization : ${secret}\r\n\r\n`)),
    note("no HTTP at all", raw(`\r\n${secret}\r\n\r\n`)),
  ]);
  return answers;
}

function withAuthorization(service: SharedService, authorization: string): Promise<ApiAnswer> {
  return service.api("GET", "/v1/targets", { key: null, headers: { authorization } });
}

function messageWith(headers: object): object {
  return { targetId: "x", deliveryTime: "2999-01-01T00:00:00Z", payload: "", headers };
}

function scheduleWith(change: object): object {
  return { targetId: "x", payload: "", cron: "@daily", ...change };
}

function targetWith(headers: object): object {
  return { url: "https://shop.test/", headers };
}
