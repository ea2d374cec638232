import { Health, named, Readiness, Type } from "@postdate/contract";
import type { Api } from "./route-options.ts";

export interface ServiceRouteOptions {
  readonly readiness: () => Promise<{
    readonly ready: boolean;
    readonly reasons: readonly string[];
  }>;
  /** Null if another listener serves the metrics. */
  readonly metricsText:
    | (() => Promise<{ readonly contentType: string; readonly body: string }>)
    | null;
  readonly version: string;
}

const tags = ["Service"];
const text = (description: string) => Type.String({ description });

export function serviceRoutes(
  api: Api,
  { readiness, metricsText, version }: ServiceRouteOptions,
): void {
  api.get(
    "/healthz",
    {
      config: { access: "anyone", isProbe: true },
      schema: {
        operationId: "health",
        tags,
        summary: "Whether the process is alive",
        response: { 200: named(Health) },
      },
    },
    async () => ({ status: "ok", version }),
  );

  api.get(
    "/readyz",
    {
      config: { access: "anyone", isProbe: true },
      schema: {
        operationId: "readiness",
        tags,
        summary: "Whether requests should be sent here",
        description: "Ready while the store answers and the server is not stopping.",
        response: { 200: named(Readiness), 503: named(Readiness) },
      },
    },
    async (_request, reply) => {
      const { ready, reasons } = await readiness();
      return reply.code(ready ? 200 : 503).send({ ready, reasons: [...reasons] });
    },
  );

  if (metricsText === null) return;
  api.get(
    "/metrics",
    {
      config: { access: "anyone", isProbe: true },
      schema: {
        operationId: "metrics",
        tags,
        summary: "Metrics for Prometheus",
        produces: ["text/plain"],
        response: { 200: text("The metrics, as text.") },
      },
    },
    async (_request, reply) => {
      const { contentType, body } = await metricsText();
      return reply.type(contentType).serializer(String).send(body);
    },
  );
}
