import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import type { EventPost } from "../event-sender.ts";
import type { HostLookup } from "../network/host-lookup.ts";
import { createAddressPolicy } from "../network/address-policy.ts";
import { accountId, openEventSender, secrets } from "./testing/deliveries.ts";
import { startRawReceiver, startReceiver } from "./testing/receivers.ts";

function postTo(url: string, change: Partial<EventPost> = {}): EventPost {
  return {
    accountId,
    endpointId: "dead-letters",
    settings: { url, headers: { Authorization: "Bearer of-the-receiver" } },
    secrets,
    postId: "evt_1",
    contentType: "application/cloudevents+json",
    body: Buffer.from('{"id":"evt_1"}'),
    attemptNumber: 3,
    startTime: systemClock.now(),
    signal: new AbortController().signal,
    ...change,
  };
}

test("the request has the endpoint's headers, the event's type and a signature", async () => {
  const receiver = await startReceiver();
  const report = await openEventSender().send(postTo(receiver.url));
  expect(report).toMatchObject({ outcome: "DELIVERED", statusCode: 200 });
  const [request] = receiver.requests;
  expect(request).toMatchObject({
    method: "POST",
    headers: {
      authorization: "Bearer of-the-receiver",
      "content-type": "application/cloudevents+json",
      "user-agent": "Postdate/1.2.3",
      "webhook-id": "evt_1",
      "postdate-attempt": "3",
      "postdate-event-endpoint": "dead-letters",
    },
  });
  const verify = (secret: string) =>
    new Webhook(secret).verify(request!.body, request!.headers as Record<string, string>);
  expect(verify(secrets.current)).toEqual({ id: "evt_1" });
  expect(() => verify(`whsec_${Buffer.alloc(32, 9).toString("base64")}`)).toThrow("No matching");
});

test("a redirect is an answer like others, and nobody follows it", async () => {
  const elsewhere = await startReceiver();
  const receiver = await startReceiver((response) =>
    response.writeHead(307, { location: elsewhere.url }).end(),
  );
  const report = await openEventSender().send(postTo(receiver.url));
  expect(report).toMatchObject({ outcome: "BAD_STATUS", statusCode: 307 });
  expect(elsewhere.connectionCount()).toBe(0);
});

test("an endless answer is cut", async () => {
  const receiver = await startRawReceiver((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    const piece = `1000\r\n${"x".repeat(4_096)}\r\n`;
    const pump = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on("drain", pump);
    pump();
  });
  expect(await openEventSender().send(postTo(receiver.url))).toMatchObject({
    outcome: "DELIVERED",
  });
  await receiver.firstClose;
});

test("a private address is refused, in the URL and behind a name", async () => {
  const receiver = await startReceiver();
  const addressPolicy = createAddressPolicy([]);
  const lookup: HostLookup = (_hostname, _options, callback) =>
    callback(null, [{ address: "127.0.0.1", family: 4 }]);
  const sender = openEventSender({ addressPolicy, lookup });
  for (const host of ["127.0.0.1", "receiver.example"]) {
    const url = `http://${host}:${receiver.port}/`;
    expect(await sender.send(postTo(url))).toMatchObject({ outcome: "ADDRESS_REFUSED" });
    expect((await sender.complete({ url }, accountId)).problems).toMatchObject([
      { code: "E-DI-3005", field: "url" },
    ]);
  }
  expect(receiver.connectionCount()).toBe(0);
});

test("settings are completed, changed and shown without the values of headers", async () => {
  const sender = openEventSender();
  const given = { url: "http://127.0.0.1/one", headers: { "x-key": "a secret" } };
  const { settings, problems } = await sender.complete(given, accountId);
  expect({ settings, problems }).toEqual({ settings: given, problems: [] });
  expect(sender.view(settings)).toEqual({ ...given, headers: { "x-key": "set" } });
  const moved = await sender.merge(settings, { url: "http://127.0.0.1/two" }, accountId);
  expect(moved).toEqual({ settings: { ...given, url: "http://127.0.0.1/two" }, problems: [] });
  const strayed = await sender.merge(settings, { url: "http://127.0.0.2/" }, accountId);
  expect(strayed.problems).toMatchObject([{ field: "headers" }]);
});

test("a failure is told of the receiver, not of a target", async () => {
  const receiver = await startReceiver((response) => response.writeHead(500).end());
  expect(await openEventSender().send(postTo(receiver.url))).toMatchObject({
    error: "the receiver answered 500",
  });
});

test("an aborted request ends, and a broken secret is a report", async () => {
  const receiver = await startReceiver(() => {});
  const ending = new AbortController();
  const sent = openEventSender().send(postTo(receiver.url, { signal: ending.signal }));
  ending.abort();
  expect(await sent).toMatchObject({ outcome: "CONNECTION_FAILED" });
  const broken = { ...secrets, current: "whsec_" };
  expect(await openEventSender().send(postTo(receiver.url, { secrets: broken }))).toMatchObject({
    outcome: "MISCONFIGURED",
  });
});
