import { pino } from "pino";
import { systemClock } from "../../platform/clock.ts";
import { readHeap } from "../../platform/heap.ts";
import { systemRandom } from "../../platform/random.ts";
import { systemTimers } from "../../platform/timers.ts";
import type { Operations } from "../../operations/operations.ts";
import { buildHttpServer } from "../../http/http-server.ts";

/** The OpenAPI document as text. The same code always gives the same text. */
export async function apiDocument(version: string): Promise<string> {
  const unused = (): never => {
    throw new Error("the OpenAPI document is made without serving anything");
  };
  const app = buildHttpServer({
    operations: new Proxy({} as Operations, { get: unused }),
    authenticator: {
      authenticate: unused,
      recall: unused,
      claimant: unused,
      isMarked: unused,
      moment: unused,
      isJustNow: unused,
      forget: unused,
    },
    issuer: unused,
    takeRequests: unused,
    limits: {
      maxRequests: 1,
      maxLoopDelayMs: 500,
      tokenRequestLimit: { max: 1, intervalMs: 1 },
      trustProxies: [],
      publicUrl: null,
    },
    clock: systemClock,
    timers: systemTimers,
    readHeap,
    observer: { answered: unused, shed: unused, limited: unused },
    tracer: null,
    logger: pino({ enabled: false }),
    random: systemRandom,
    readiness: unused,
    metricsText: unused,
    version,
    answersCallers: true,
    hasStarted: unused,
  });
  await app.ready();
  const document = app.swagger();
  await app.close();
  return `${JSON.stringify(document, null, 2)}\n`;
}
