import type { CallOptions } from "../call-options.ts";
import { ConnectionError } from "../connection-error.ts";
import { PostdateError } from "../errors.ts";
import { get } from "../transport/api-request.ts";
import { Deadline } from "../transport/deadline.ts";
import type { Failure } from "../transport/retries.ts";
import type { Transport } from "../transport/transport.ts";
import type { EventList, ReadEvent } from "../types/events.ts";
import { framesOf } from "./frames.ts";

export interface FollowOptions extends CallOptions {
  /** `"oldest"`, or the `position` of the last event that you have. Left out: from now. */
  readonly from?: string | undefined;
  /** Hears that events are missing: they left the retention before they were read, or the log was set back, as by a restored backup. The stream goes on with the oldest that there are. */
  readonly onGap?: (() => void) | undefined;
  /** Hears that the stream broke, and that the client connects again, until it succeeds. Nothing is missed. */
  readonly onBreak?: (() => void) | undefined;
  /** Hears that the stream is open: at first, and again after each break. */
  readonly onOpen?: (() => void) | undefined;
}

/** The longest wait before a broken stream is asked for again. It doubles each time that this fails. */
const firstPauseMs = 1_000;
const longestPauseMs = 15_000;

/** Connects again whenever the stream breaks, and goes on behind the last event. */
export async function* followEvents(
  transport: Transport,
  path: string,
  { from, onGap, onBreak, onOpen, ...options }: FollowOptions,
): AsyncGenerator<ReadEvent, void, undefined> {
  const { signal } = options;
  const unfit = (text: string): ConnectionError =>
    new ConnectionError(
      `${transport.url} sent an event that is not from Postdate: ${JSON.stringify(text.slice(0, 99))}.`,
      { status: 200, retryAfterMs: null, mayHaveTakenEffect: false },
    );
  // Events that come before the first stream is open must not be missed, also if that one breaks at once.
  let position =
    from ?? (await transport.request<EventList>(get(`${path}/events`), options)).nextPosition;
  for (let isFirst = true, failures = 0; ; isFirst = false) {
    let stream;
    try {
      stream = await transport.request<ReadableStream<Uint8Array>>(
        { ...get(`${path}/stream`, { from: position }), isStream: true },
        options,
      );
    } catch (error) {
      if (isFirst || !mayPass(error)) throw error;
    }
    if (stream) {
      failures = 0;
      onOpen?.();
      for await (const { id, at, event: kind, data } of framesOf(stream, unfit, signal)) {
        if (at !== undefined) position = at;
        if (kind === "postdate.gap") onGap?.();
        if (id === undefined || data === undefined) continue;
        let event: ReadEvent;
        try {
          event = JSON.parse(data) as ReadEvent;
        } catch {
          throw unfit(data);
        }
        yield { ...event, position: (position = id) };
      }
    }
    signal?.throwIfAborted();
    if (failures === 0) onBreak?.();
    await pause(Math.random() * Math.min(firstPauseMs * 2 ** failures++, longestPauseMs), signal);
  }
}

/** Throws the reason of the signal when that aborts. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const deadline = new Deadline(Infinity, signal);
  try {
    await deadline.pause(ms);
  } finally {
    deadline.release();
  }
}

/** Whether a try that comes later may succeed. */
function mayPass(error: unknown): boolean {
  const { status } = error as Failure;
  return error instanceof PostdateError && (status == null || status === 429 || status >= 500);
}
