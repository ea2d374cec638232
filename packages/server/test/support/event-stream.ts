import { rootKey } from "./server-process.ts";

/** One frame of Server-Sent Events. Comments and `retry` are frames too. */
export interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly retry?: string;
  readonly comment?: string;
}

export interface OpenedStream extends AsyncDisposable {
  readonly status: number;
  readonly headers: Headers;
  /** The next frame; undefined: the stream has ended, also without a good end. */
  next(): Promise<Frame | undefined>;
  /** The next events, as they stand in `data:`. Other frames are passed over. */
  events(count: number): Promise<readonly TestEvent[]>;
  /** Resolves when the server has ended the stream: `false` if the connection was cut. */
  readonly ended: Promise<boolean>;
  close(): Promise<void>;
}

/** An event with the `id:` of its frame. */
// Tests check the raw answers of the service, so the data has no type.
// oxlint-disable-next-line typescript/no-explicit-any
export type TestEvent = { readonly position: string; readonly data: any } & Record<string, any>;

export interface StreamOptions {
  readonly key?: string | null;
  readonly query?: string;
  readonly lastEventId?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Cuts the connection, also before there is an answer. */
  readonly signal?: AbortSignal;
}

/** Reads a stream without any client code of this project. */
export async function openStream(
  url: string,
  endpointId: string,
  { key = rootKey, query = "", lastEventId, headers = {}, signal }: StreamOptions = {},
): Promise<OpenedStream> {
  const hangUp = new AbortController();
  const response = await fetch(`${url}/v1/event-endpoints/${endpointId}/stream${query}`, {
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
      ...headers,
    },
    signal: signal === undefined ? hangUp.signal : AbortSignal.any([hangUp.signal, signal]),
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const ended = Promise.withResolvers<boolean>();
  let text = "";

  const next = async (): Promise<Frame | undefined> => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end >= 0) {
        const lines = text.slice(0, end).split("\n");
        text = text.slice(end + 2);
        return Object.fromEntries(lines.map(fieldOf));
      }
      const piece = await reader.read().catch(() => undefined);
      if (piece?.done !== false) {
        ended.resolve(piece !== undefined);
        return undefined;
      }
      text += piece.value;
    }
  };
  const close = async (): Promise<void> => {
    hangUp.abort();
    await reader.cancel().catch(() => {});
  };
  return {
    status: response.status,
    headers: response.headers,
    next,
    async events(count) {
      const events: TestEvent[] = [];
      while (events.length < count) {
        const frame = await next();
        if (frame === undefined) throw new Error(`the stream ended after ${events.length} events`);
        if (frame.id === undefined) continue;
        events.push({ ...JSON.parse(frame.data!), position: frame.id });
      }
      return events;
    },
    get ended() {
      void (async () => {
        while ((await next()) !== undefined);
      })();
      return ended.promise;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function fieldOf(line: string): [string, string] {
  if (line.startsWith(":")) return ["comment", line.slice(1)];
  const colon = line.indexOf(": ");
  return [line.slice(0, colon), line.slice(colon + 2)];
}
