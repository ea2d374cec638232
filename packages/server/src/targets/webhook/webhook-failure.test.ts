import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import { deliveryTo, openTarget, settingsFor } from "./testing/deliveries.ts";
import {
  localhostCertificate,
  startRawReceiver,
  startReceiver,
  startTextReceiver,
  unusedPort,
} from "./testing/receivers.ts";

const trustedByDefault = getCACertificates("default");
afterEach(() => setDefaultCACertificates(trustedByDefault));

function secureUrl({ port }: { readonly port: number }): string {
  return `https://127.0.0.1:${port}/`;
}

describe("TIMEOUT", () => {
  test.each([
    ["the target never answers", "http"],
    ["the TLS handshake never begins", "https"],
  ])("%s: the connection is dropped", async (_what, protocol) => {
    const receiver = await startRawReceiver((socket) => socket.resume());
    const settings = settingsFor(`${protocol}://127.0.0.1:${receiver.port}/`, { timeoutMs: 200 });
    const from = systemClock.monotonic();
    const report = await openTarget().deliver(deliveryTo(settings));
    const passedMs = systemClock.monotonic() - from;
    expect(report).toEqual({
      outcome: "TIMEOUT",
      statusCode: null,
      error: "the target did not answer within 200 ms",
      response: null,
      retryAfterMs: null,
    });
    expect(passedMs).toBeGreaterThan(198);
    await receiver.firstClose;
  });

  test("the name is never resolved", async () => {
    const target = openTarget({ lookup: () => undefined });
    const settings = settingsFor("http://receiver.example/", { timeoutMs: 100 });
    expect((await target.deliver(deliveryTo(settings))).outcome).toBe("TIMEOUT");
  });

  test("nothing is sent if the name resolves too late", async () => {
    const receiver = await startReceiver();
    const answers: (() => void)[] = [];
    let isLate = true;
    const late = openTarget({
      lookup: (_hostname, _options, callback) => {
        const answer = (): void => callback(null, [{ address: "127.0.0.1", family: 4 }]);
        if (isLate) answers.push(answer);
        else answer();
      },
    });
    const url = `http://receiver.example:${receiver.port}/`;
    const settings = settingsFor(url, { timeoutMs: 100 });
    expect((await late.deliver(deliveryTo(settings))).outcome).toBe("TIMEOUT");
    isLate = false;
    for (const answer of answers) answer();
    // The next attempt shares origin and pool. If the old one were still alive, it would come first.
    const second = await late.deliver(deliveryTo(url, { attemptNumber: 2 }));
    expect(second.outcome).toBe("DELIVERED");
    expect(receiver.requests.map(({ headers }) => headers["postdate-attempt"])).toEqual(["2"]);
    expect(receiver.connectionCount()).toBe(1);
  });

  test("headers that trickle in do not extend it", async () => {
    const receiver = await startTextReceiver("HTTP/1.1 200 OK\r\nx-slow: ");
    const settings = settingsFor(receiver.url, { timeoutMs: 150 });
    expect((await openTarget().deliver(deliveryTo(settings))).outcome).toBe("TIMEOUT");
  });
});

describe("CONNECTION_FAILED", () => {
  test("nobody listens", async () => {
    const port = await unusedPort();
    const report = await openTarget().deliver(deliveryTo(`http://127.0.0.1:${port}/`));
    expect(report).toMatchObject({
      outcome: "CONNECTION_FAILED",
      error: "the target refused the connection",
    });
  });

  test("the target resets the connection", async () => {
    const receiver = await startRawReceiver((socket) =>
      socket.once("data", () => socket.resetAndDestroy()),
    );
    const report = await openTarget().deliver(deliveryTo(receiver.url));
    expect(report).toMatchObject({
      outcome: "CONNECTION_FAILED",
      error: "the target reset the connection before it answered",
    });
  });

  test("the target closes the connection", async () => {
    const receiver = await startRawReceiver((socket) => socket.once("data", () => socket.end()));
    const report = await openTarget().deliver(deliveryTo(receiver.url));
    expect(report).toMatchObject({
      outcome: "CONNECTION_FAILED",
      error: "the target closed the connection before it answered",
    });
  });

  test("a reused connection is reset: the message is sent once and not silently again", async () => {
    const used = new Set<number>();
    const receiver = await startReceiver((response, { connection }) => {
      if (used.has(connection)) response.socket?.resetAndDestroy();
      else response.end();
      used.add(connection);
    });
    const target = openTarget();
    const outcomes: string[] = [];
    for (const attemptNumber of [1, 2, 3]) {
      outcomes.push((await target.deliver(deliveryTo(receiver.url, { attemptNumber }))).outcome);
    }
    expect(outcomes).toContain("CONNECTION_FAILED");
    const attempts = receiver.requests.map(({ headers }) => headers["postdate-attempt"]);
    expect(attempts).toEqual(["1", "2", "3"]);
  });

  test.each([
    ["not HTTP at all", "220 mail.example ESMTP\r\n"],
    ["an unknown version", "HTTP/9.9 200 OK\r\n\r\n"],
    ["a status that is no number", "HTTP/1.1 abc OK\r\n\r\n"],
    ["an upgrade nobody asked for", "HTTP/1.1 101 Go\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"],
  ])("the answer is %s", async (_what, text) => {
    const receiver = await startTextReceiver(text);
    const report = await openTarget().deliver(deliveryTo(receiver.url));
    expect(report).toMatchObject({ outcome: "CONNECTION_FAILED", statusCode: null });
    expect(report.error).not.toContain("mail.example");
  });

  test("the answer's headers never end", async () => {
    const receiver = await startTextReceiver(`HTTP/1.1 200 OK\r\nx-long: ${"x".repeat(20_000)}`);
    const report = await openTarget().deliver(deliveryTo(receiver.url));
    expect(report).toMatchObject({
      outcome: "CONNECTION_FAILED",
      error: "the target answered with more than 16 KiB of headers",
    });
  });
});

test("DNS_FAILED names the host and the reason", async () => {
  const error: NodeJS.ErrnoException = Object.assign(new Error("no"), { code: "ENOTFOUND" });
  const target = openTarget({ lookup: (_hostname, _options, callback) => callback(error, []) });
  const report = await target.deliver(deliveryTo("http://receiver.example/"));
  expect(report).toMatchObject({
    outcome: "DNS_FAILED",
    error: "the host name receiver.example could not be resolved (ENOTFOUND)",
  });
});

test("DNS_FAILED by the system's own look-up, which refuses a name with an empty part", async () => {
  const report = await openTarget().deliver(deliveryTo("http://receiver..example/"));
  expect(report).toMatchObject({
    outcome: "DNS_FAILED",
    error: expect.stringContaining("the host name receiver..example could not be resolved"),
  });
});

describe("TLS", () => {
  test("a certificate without a trusted issuer", async () => {
    const receiver = await startReceiver(undefined, { secure: true });
    const report = await openTarget().deliver(deliveryTo(receiver.url));
    expect(report).toMatchObject({ outcome: "TLS_FAILED", statusCode: null });
    expect(report.error).toContain("self-signed certificate");
    expect(receiver.requests).toHaveLength(0);
  });

  test("a certificate for another name", async () => {
    setDefaultCACertificates([localhostCertificate]);
    const receiver = await startReceiver(undefined, { secure: true });
    const target = openTarget({
      lookup: (_hostname, _options, callback) =>
        callback(null, [{ address: "127.0.0.1", family: 4 }]),
    });
    const report = await target.deliver(deliveryTo(`https://other.example:${receiver.port}/`));
    expect(report.outcome).toBe("TLS_FAILED");
    expect(report.error).toContain("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(receiver.requests).toHaveLength(0);
  });

  test("plain HTTP where TLS was expected", async () => {
    const receiver = await startReceiver();
    const report = await openTarget().deliver(deliveryTo(secureUrl(receiver)));
    expect(report.outcome).toBe("TLS_FAILED");
    expect(report.error).toMatch(/^the TLS handshake failed: [ -~]+$/);
  });

  test.each([
    ["resets", (socket: { resetAndDestroy(): unknown }) => socket.resetAndDestroy()],
    ["closes", (socket: { end(): unknown }) => socket.end()],
  ])("a target that %s during the handshake", async (_how, quit) => {
    const receiver = await startRawReceiver((socket) => socket.once("data", () => quit(socket)));
    const report = await openTarget().deliver(deliveryTo(secureUrl(receiver)));
    expect(report.outcome).toBe("TLS_FAILED");
  });

  test.each(["127.0.0.1", "receiver.example"])("delivers to %s over valid TLS", async (host) => {
    setDefaultCACertificates([localhostCertificate]);
    const receiver = await startReceiver((response) => response.end("ok"), { secure: true });
    const target = openTarget({
      lookup: (_hostname, _options, callback) =>
        callback(null, [{ address: "127.0.0.1", family: 4 }]),
    });
    const url = `https://${host}:${receiver.port}/`;
    for (const attemptNumber of [1, 2, 3, 4]) {
      const report = await target.deliver(deliveryTo(url, { attemptNumber }));
      expect(report).toMatchObject({ outcome: "DELIVERED", response: "ok" });
    }
    expect(receiver.connectionCount()).toBeLessThanOrEqual(2);
  });
});

describe("stopping", () => {
  const stopped = {
    outcome: "CONNECTION_FAILED",
    statusCode: null,
    error: "the server stopped before the target answered",
    response: null,
    retryAfterMs: null,
  };

  test("an abort ends only the attempts of its signal", async () => {
    const target = openTarget();
    const requested = Promise.withResolvers<void>();
    const receiver = await startRawReceiver((socket) =>
      socket.once("data", () => requested.resolve()),
    );
    const other = await startReceiver();
    const stopping = new AbortController();
    const attempt = target.deliver(deliveryTo(receiver.url, { signal: stopping.signal }));
    await requested.promise;
    stopping.abort();
    expect(await attempt).toEqual(stopped);
    await receiver.firstClose;
    expect((await target.deliver(deliveryTo(other.url))).outcome).toBe("DELIVERED");
  });

  test("one signal ends many attempts", async () => {
    const target = openTarget();
    const allConnected = Promise.withResolvers<void>();
    let connected = 0;
    const receiver = await startRawReceiver((socket) => {
      connected += 1;
      socket.resume();
      if (connected === 25) allConnected.resolve();
    });
    const stopping = new AbortController();
    const attempts = Array.from({ length: 25 }, () =>
      target.deliver(deliveryTo(receiver.url, { signal: stopping.signal })),
    );
    await allConnected.promise;
    stopping.abort();
    for (const report of await Promise.all(attempts)) expect(report).toEqual(stopped);
  });

  test("an attempt that ends before it gets its idle connection is never sent", async () => {
    const receiver = await startReceiver();
    const target = openTarget();
    const stopping = new AbortController();
    const attempt = (attemptNumber: number, signal = new AbortController().signal) =>
      target.deliver(deliveryTo(receiver.url, { attemptNumber, signal }));
    await attempt(1);
    await attempt(2);
    const abandoned = attempt(3, stopping.signal);
    stopping.abort();
    expect(await abandoned).toEqual(stopped);
    for (const attemptNumber of [4, 5, 6]) await attempt(attemptNumber);
    const attempts = receiver.requests.map(({ headers }) => headers["postdate-attempt"]);
    expect(attempts).toEqual(["1", "2", "4", "5", "6"]);
  });

  test("nothing is sent once the signal has aborted", async () => {
    const receiver = await startReceiver();
    const report = await openTarget().deliver(
      deliveryTo(receiver.url, { signal: AbortSignal.abort() }),
    );
    expect(report).toEqual(stopped);
    expect(receiver.connectionCount()).toBe(0);
  });

  test.each(["http", "https"])("closing ends the attempts under way (%s)", async (protocol) => {
    const target = openTarget();
    const reached = Promise.withResolvers<void>();
    const receiver = await startRawReceiver((socket) => {
      socket.once("data", () => reached.resolve());
    });
    const attempt = target.deliver(deliveryTo(`${protocol}://127.0.0.1:${receiver.port}/`));
    await reached.promise;
    await target.close();
    expect(await attempt).toEqual(stopped);
    await receiver.firstClose;
  });

  test("closing drops idle connections, and later deliveries fail at once", async () => {
    const receiver = await startReceiver();
    const target = openTarget();
    await target.deliver(deliveryTo(receiver.url));
    await target.close();
    await receiver.firstClose;
    expect(await target.deliver(deliveryTo(receiver.url))).toEqual(stopped);
  });
});
