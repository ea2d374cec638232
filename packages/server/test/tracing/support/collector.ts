import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** A span as it arrived. */
export interface Span extends Omit<OtlpSpan, "attributes" | "links"> {
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly Span[];
  /** The headers of each request. */
  readonly requests: readonly IncomingHttpHeaders[];
  /** Resolves once there are at least this many spans that match. */
  received(count: number, matches: (span: Span) => boolean): Promise<Span[]>;
  /** How the next requests are answered. */
  answerWith(answer: number | "never" | "endlessly"): void;
}

/** What the fields of a span say, in the numbers of OTLP. */
export const spanKinds = { server: 2, client: 3, producer: 4 };
export const failedStatus = 2;

/** A real HTTP server that takes spans in as an OpenTelemetry collector does, as JSON. */
export async function startCollector(): Promise<Collector> {
  const spans: Span[] = [];
  const requests: IncomingHttpHeaders[] = [];
  const waiting = new Set<() => void>();
  let answer: number | "never" | "endlessly" = 200;
  const server = createServer((request, response) => {
    requests.push(request.headers);
    void buffer(request).then(
      (body) => {
        if (answer === "never") return;
        if (answer === "endlessly") return drip(response);
        response.writeHead(answer, { "content-type": "application/json" }).end("{}");
        if (answer !== 200 || request.url !== "/v1/traces") return;
        spans.push(...spansIn(JSON.parse(String(body)) as OtlpBody));
        for (const check of waiting) check();
      },
      () => {},
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    received(count, matches) {
      return new Promise((resolve) => {
        const check = (): void => {
          const found = spans.filter(matches);
          if (found.length < count) return;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      });
    },
    answerWith(next) {
      answer = next;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** A few bytes again and again, so that no timeout for silence ever ends the answer. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  const dripping = setInterval(() => response.write(" "), 100);
  response.once("close", () => clearInterval(dripping));
}

function spansIn({ resourceSpans }: OtlpBody): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        attributes: valuesOf(span.attributes),
        resource: valuesOf(resource.attributes),
      })),
    ),
  );
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [type, given] = Object.entries(value)[0] ?? [];
      return [key, type === "intValue" ? Number(given) : given];
    }),
  );
}
