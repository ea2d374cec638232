import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Behaviour, ConformanceReceiver } from "../conformance/subject.ts";
import { testTargetKind } from "../conformance/target-kind-suite.ts";
import { openTarget, secrets } from "./testing/deliveries.ts";
import { startRawReceiver, startReceiver, unusedPort, type Receiver } from "./testing/receivers.ts";

const endless = Buffer.alloc(4_096, "x");

const start: Record<Exclude<Behaviour, "is-not-there">, () => Promise<Receiver>> = {
  accepts: () => startReceiver(),
  rejects: () => startReceiver((response) => response.writeHead(500).end("no")),
  "never-answers": () => startRawReceiver((socket) => socket.resume()),
  vanishes: () => startRawReceiver((socket) => socket.once("data", () => socket.resetAndDestroy())),
  "talks-nonsense": () =>
    startRawReceiver((socket) => socket.once("data", () => socket.write("\u0000nonsense\n"))),
  "never-stops-talking": () =>
    startReceiver((response) => {
      const more = (): void => {
        if (!response.destroyed) response.write(endless, more);
      };
      more();
    }),
  "accepts-and-stalls": () =>
    startReceiver((response) => {
      response.writeHead(200, { "content-length": "100" }).write("begun");
    }),
};

/** undici publishes this event just before it passes the status on. */
function statusSeen(): Promise<void> {
  return new Promise((resolve) => {
    const channel = "undici:request:headers";
    const listen = (): void => {
      unsubscribe(channel, listen);
      resolve();
    };
    subscribe(channel, listen);
  });
}

testTargetKind("webhook", {
  create: () => openTarget(),
  secrets,
  confidential: { headers: { authorization: "Bearer confidential-value" } },
  badSettings: [
    { url: "ftp://receiver.example/" },
    { url: "http://10.0.0.1/" },
    { url: "http://127.0.0.1/", headers: { "x-a": "1\r\nx-b: 2" } },
  ],
  async receive(behaviour, timeoutMs): Promise<ConformanceReceiver> {
    if (behaviour === "is-not-there") {
      const url = `http://127.0.0.1:${await unusedPort()}/`;
      return {
        given: { url, timeoutMs },
        received: () => [],
        outcomeKnown: statusSeen,
      };
    }
    const receiver = await start[behaviour]();
    return {
      given: { url: receiver.url, timeoutMs },
      received: () =>
        receiver.requests.map(({ headers, body }) => ({
          messageId: String(headers["webhook-id"]),
          payload: body,
        })),
      outcomeKnown: statusSeen,
    };
  },
});
