import { describe, expect, test } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import { deliveryTo, openTarget, settingsFor } from "./testing/deliveries.ts";
import {
  startRawReceiver,
  startReceiver,
  startTextReceiver,
  type Answer,
} from "./testing/receivers.ts";

async function answered(answer: Answer, timeoutMs = 5_000) {
  const receiver = await startReceiver(answer);
  const report = await openTarget().deliver(deliveryTo(settingsFor(receiver.url, { timeoutMs })));
  return { report, receiver };
}

async function answeredText(text: string, timeoutMs = 5_000) {
  const receiver = await startTextReceiver(text);
  return openTarget().deliver(deliveryTo(settingsFor(receiver.url, { timeoutMs })));
}

function elapsed(): () => number {
  const from = systemClock.monotonic();
  return () => systemClock.monotonic() - from;
}

describe("the status", () => {
  test.each([200, 201, 202, 204, 299])("%i is a delivery", async (status) => {
    const { report } = await answered((response) => response.writeHead(status).end());
    expect(report).toEqual({
      outcome: "DELIVERED",
      statusCode: status,
      error: null,
      response: null,
      retryAfterMs: null,
    });
  });

  test.each([300, 304, 400, 401, 404, 410, 422, 429, 500, 503, 599])(
    "%i is a bad status",
    async (status) => {
      const { report } = await answered((response) => response.writeHead(status).end());
      expect(report).toEqual({
        outcome: "BAD_STATUS",
        statusCode: status,
        error: `the target answered ${status}`,
        response: null,
        retryAfterMs: null,
      });
    },
  );

  test.each([301, 302, 303, 307, 308])("a redirect by %i is not followed", async (status) => {
    const elsewhere = await startReceiver();
    const { report } = await answered((response) =>
      response.writeHead(status, { location: elsewhere.url }).end(),
    );
    expect(report).toMatchObject({ outcome: "BAD_STATUS", statusCode: status });
    expect(elsewhere.connectionCount()).toBe(0);
  });
});

describe("informational answers do not count", () => {
  test.each(["102 Processing", "103 Early Hints", "100 Continue"])("%s", async (line) => {
    const end = "HTTP/1.1 503 No\r\ncontent-length: 2\r\n\r\nno";
    const report = await answeredText(`HTTP/1.1 ${line}\r\n\r\n${end}`);
    expect(report).toMatchObject({ outcome: "BAD_STATUS", statusCode: 503, response: "no" });
  });

  test("a 100 that arrives alone before the rest, on a connection that is used again", async () => {
    const { report, receiver } = await answered((response) => {
      response.writeContinue(() => response.end("ok"));
    });
    expect(report).toMatchObject({ outcome: "DELIVERED", response: "ok" });
    expect(receiver.connectionCount()).toBe(1);
  });

  test("a 103 with nothing after it is a timeout", async () => {
    const report = await answeredText("HTTP/1.1 103 Early Hints\r\n\r\n", 150);
    expect(report).toMatchObject({ outcome: "TIMEOUT", statusCode: null });
  });
});

describe("what comes before an answer is bounded", () => {
  /** Sends the same bytes again and again while the other side reads them. */
  function startRepeater(text: string) {
    return startRawReceiver((socket) => {
      socket.once("data", () => {
        const more = (): void => {
          if (!socket.destroyed) socket.write(text, more);
        };
        more();
      });
    });
  }

  /**
   * Far longer than it takes to reach the bound, even on a busy machine. So only the bound ends these
   * attempts.
   */
  const patientMs = 60_000;

  test.each(["100 Continue", "102 Processing", "103 Early Hints"])(
    "endless %s answers fail, and the connection closes",
    async (line) => {
      const receiver = await startRepeater(`HTTP/1.1 ${line}\r\n\r\n`);
      const settings = settingsFor(receiver.url, { timeoutMs: patientMs });
      expect(await openTarget().deliver(deliveryTo(settings))).toEqual({
        outcome: "CONNECTION_FAILED",
        statusCode: null,
        error: "the target sent more than 32 interim answers (1xx) and no final one",
        response: null,
        retryAfterMs: null,
      });
      await receiver.firstClose;
    },
  );

  test("an endless status line fails at the limit of bytes", async () => {
    const receiver = await startRawReceiver((socket) => {
      socket.once("data", () => {
        const more = (): void => {
          if (!socket.destroyed) socket.write("x".repeat(8_192), more);
        };
        socket.write("HTTP/1.1 103 ", more);
      });
    });
    const settings = settingsFor(receiver.url, { timeoutMs: patientMs });
    expect(await openTarget().deliver(deliveryTo(settings))).toMatchObject({
      outcome: "CONNECTION_FAILED",
      error: "the target sent more than 64 KiB before it answered",
    });
    await receiver.firstClose;
  });

  test("each attempt has its own bound, even on a shared connection", async () => {
    const interim = "HTTP/1.1 100 Continue\r\n\r\n".repeat(32);
    const receiver = await startRawReceiver((socket) => {
      socket.on("data", (chunk) => {
        if (!chunk.toString().endsWith("hello")) return;
        socket.write(`${interim}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`);
      });
    });
    const target = openTarget();
    for (let count = 0; count < 5; count++) {
      const report = await target.deliver(deliveryTo(receiver.url));
      expect(report.outcome).toBe("DELIVERED");
    }
    // undici frees a connection one tick after the answer, so only the second attempt may need another.
    expect(receiver.connectionCount()).toBeLessThan(5);
  });

  test("a long answer that comes at once stays within the bound", async () => {
    const receiver = await startTextReceiver(
      `HTTP/1.1 200 OK\r\ncontent-length: 500000\r\n\r\n${"x".repeat(500_000)}`,
    );
    const report = await openTarget().deliver(deliveryTo(receiver.url));
    expect(report).toMatchObject({ outcome: "DELIVERED", statusCode: 200 });
  });
});

describe("Retry-After", () => {
  function retryAfter(status: number, value: string, rest: Parameters<typeof deliveryTo>[1] = {}) {
    return startReceiver((response) => {
      response.writeHead(status, { "retry-after": value }).end();
    }).then(({ url }) => openTarget().deliver(deliveryTo(url, rest)));
  }

  test.each([429, 503])("counts with status %i", async (status) => {
    expect(await retryAfter(status, "7")).toMatchObject({ retryAfterMs: 7_000 });
  });

  test.each([200, 301, 500])("does not count with status %i", async (status) => {
    expect(await retryAfter(status, "7")).toMatchObject({ retryAfterMs: null });
  });

  test("a date is compared with the clock of the attempt's start time", async () => {
    const startTime = Date.UTC(2026, 0, 1);
    const report = await retryAfter(503, "Thu, 01 Jan 2026 00:01:00 GMT", { startTime });
    expect(report.retryAfterMs).toBeLessThanOrEqual(60_000);
    expect(report.retryAfterMs).toBeGreaterThan(50_000);
    expect(report.retryAfterMs! % 1).toBe(0);
  });

  test("the duration of the attempt is not added to the delay", async () => {
    let monotonic = 0;
    const clock = { monotonic: () => monotonic };
    const { url } = await startReceiver((response) => {
      monotonic = 2_000;
      response.writeHead(503, { "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" }).end();
    });
    const startTime = Date.UTC(2026, 0, 1);
    const report = await openTarget({ clock }).deliver(deliveryTo(url, { startTime }));
    expect(report.retryAfterMs).toBe(58_000);
  });
});

describe("the body", () => {
  test("its beginning is kept", async () => {
    const { report } = await answered((response) => response.end(`a\u0000${"x".repeat(4_000)}`));
    expect(report.response).toBe(`a\ufffd${"x".repeat(1_022)}`);
  });

  test("echoes of the target's own header values are not kept", async () => {
    const receiver = await startReceiver((response, { headers }) =>
      response.writeHead(500).end(`${headers.authorization} of ${String(headers["x-shop"])}`),
    );
    const headers = { Authorization: "Bearer TOPSECRET1", "x-shop": "berlin" };
    const settings = settingsFor(receiver.url, { headers });
    const report = await openTarget().deliver(deliveryTo(settings));
    expect(report).toMatchObject({
      outcome: "BAD_STATUS",
      response: "[header value] of berlin",
    });
  });

  test("no more than 16 KiB is read, and then the connection closes", async () => {
    const { report, receiver } = await answered((response) => {
      response.end("x".repeat(16 * 1_024 + 1));
    });
    expect(report.outcome).toBe("DELIVERED");
    const passed = elapsed();
    await receiver.firstClose;
    // An idle connection would stay open for seconds.
    expect(passed()).toBeLessThan(1_000);
  });

  test("an endless body is abandoned after 16 KiB", async () => {
    const passed = elapsed();
    const { report, receiver } = await answered((response) => {
      const chunk = Buffer.alloc(8_192, "x");
      const more = (): void => {
        if (!response.destroyed) response.write(chunk, more);
      };
      more();
    });
    expect(report).toMatchObject({ outcome: "DELIVERED", response: "x".repeat(1_024) });
    expect(passed()).toBeLessThan(900);
    await receiver.firstClose;
  });

  test("a body that stalls is abandoned after a second, whatever its length header says", async () => {
    const passed = elapsed();
    // The attempt's own timeout is far longer than this test.
    const { report, receiver } = await answered((response) => {
      response.writeHead(200, { "content-length": "100" }).write("begun");
    }, 300_000);
    expect(report).toMatchObject({ outcome: "DELIVERED", response: "begun" });
    expect(passed()).toBeGreaterThan(950);
    await receiver.firstClose;
  });

  test("a body that stalls gets no more than the rest of the timeout", async () => {
    const passed = elapsed();
    const head = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun";
    expect((await answeredText(head, 300)).outcome).toBe("DELIVERED");
    expect(passed()).toBeLessThan(800);
  });

  test.each([
    ["resets", (socket: { resetAndDestroy(): unknown }) => socket.resetAndDestroy()],
    ["closes", (socket: { end(): unknown }) => socket.end()],
  ])("one that %s after the status changes nothing", async (_how, quit) => {
    const receiver = await startRawReceiver((socket) => {
      socket.once("data", () => {
        const head = "HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\nbegun";
        socket.write(head, () => quit(socket));
      });
    });
    const report = await openTarget().deliver(deliveryTo(receiver.url));
    expect(report).toMatchObject({ outcome: "DELIVERED", statusCode: 202 });
  });

  test("a body that ends with the connection is complete", async () => {
    const receiver = await startRawReceiver((socket) => {
      socket.once("data", () => socket.end("HTTP/1.0 500 No\r\n\r\nsorry"));
    });
    const report = await openTarget().deliver(deliveryTo(receiver.url));
    expect(report).toMatchObject({ outcome: "BAD_STATUS", statusCode: 500, response: "sorry" });
  });

  test("garbage in the chunks does not change the outcome", async () => {
    const report = await answeredText(
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnot a chunk size\r\n",
    );
    expect(report).toMatchObject({ outcome: "DELIVERED", statusCode: 200 });
  });
});
