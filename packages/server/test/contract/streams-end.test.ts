import { expect, test, vi } from "vitest";
import { commonService } from "../support/common-service.ts";
import { expectRefusal } from "../support/expectations.ts";
import { patiently } from "../support/shared-service.ts";
import { openStream } from "../support/event-stream.ts";
import type { OpenedStream, StreamOptions } from "../support/event-stream.ts";
import type { TestAccount } from "../support/operated-service.ts";
import { browserOf } from "../security/browser.ts";

const service = commonService();
const { operated } = service;

/** A stream that has told its first event. */
async function opened(account: TestAccount, options: StreamOptions): Promise<OpenedStream> {
  const { key } = account;
  const body = { endpointId: "e", kind: "stream" };
  expect((await service.api("POST", "/v1/event-endpoints", { key, body })).status).toBe(201);
  const stream = await openStream(service.url, "e", { key, ...options });
  await account.ok("POST", "/v1/targets", { targetId: "t", url: service.receiver.url });
  expect((await stream.events(1))[0]!["type"]).toBe("postdate.target.created.v1");
  return stream;
}

test("a stream ends when its account is suspended, and goes on when it is resumed", async () => {
  const account = await service.account();
  await using stream = await opened(account, {});
  const place = `/v1/accounts/${account.accountId}`;
  await operated("POST", `${place}/suspend`);
  expect(await stream.ended).toBe(true);
  const path = "/v1/event-endpoints/e/stream";
  expect((await service.api("GET", path, { key: account.key })).status).toBe(403);
  await operated("POST", `${place}/resume`);
  await using again = await openStream(service.url, "e", {
    ...{ key: account.key, query: "?from=oldest" },
  });
  await again.events(1);
});

test("a call that waits is told why when its account is suspended", async () => {
  const account = await service.account();
  const { key } = account;
  const body = { endpointId: "e", kind: "stream" };
  expect((await service.api("POST", "/v1/event-endpoints", { key, body })).status).toBe(201);
  const waiting = service.api("GET", "/v1/event-endpoints/e/events?waitMs=30000", { key });
  await vi.waitFor(async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/^postdate_event_listeners [1-9]/m);
  }, patiently);
  await operated("POST", `/v1/accounts/${account.accountId}/suspend`);
  expectRefusal(await waiting, 403, { code: "E-DI-4003" });
});

test("a stream ends when its account is removed", async () => {
  const account = await service.account();
  await using stream = await opened(account, {});
  const place = `/v1/accounts/${account.accountId}`;
  await operated("POST", `${place}/suspend`);
  await operated("DELETE", place);
  expect(await stream.ended).toBe(true);
});

test("a stream ends with the session of its browser", async () => {
  const account = await service.account();
  const { cookieFor, ask } = browserOf({ service: service as never });
  const cookie = await cookieFor(account.key);
  const headers = { "sec-fetch-site": "same-origin", cookie };
  await using stream = await opened(account, { key: null, headers });
  expect((await ask(cookie, "DELETE", "/v1/session")).status).toBe(200);
  expect(await stream.ended).toBe(true);
});
