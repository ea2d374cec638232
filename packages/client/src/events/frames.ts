import { within } from "../transport/deadline.ts";

/** One event of a stream, as it travels, or a comment. */
export interface Frame {
  readonly id?: string;
  /** Of a comment: nothing up to this position is still to come. */
  readonly at?: string;
  readonly event?: string;
  readonly data?: string;
}

/** The service sends a comment every 15 seconds: after this silence nobody is there any more. */
const longestSilenceMs = 45_000;
/** In characters. No event is nearly as long. */
const longestFrame = 4_000_000;

/**
 * Server-sent events as they arrive. Ends when the stream ends, breaks, falls silent or is aborted. Throws what `unfit`
 * makes of a text that grows without an end.
 */
export async function* framesOf(
  stream: ReadableStream<Uint8Array>,
  unfit: (text: string) => Error,
  signal?: AbortSignal,
): AsyncGenerator<Frame, void, undefined> {
  const reader = stream.getReader();
  // Ends the connection and a read that waits. A race of each read with one promise of the signal would keep something
  // of every event for as long as the stream is read.
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", cancel);
  if (signal?.aborted) cancel();
  const decoder = new TextDecoder();
  // What has come of the next frame, without its last character, which may begin the end of the frame. So only what
  // is new is searched, however many pieces a frame has.
  let [begun, last] = ["", ""];
  try {
    for (;;) {
      let chunk: Uint8Array | undefined;
      const reading = reader.read().then(
        ({ value }) => void (chunk = value),
        () => {},
      );
      await within(longestSilenceMs, reading);
      if (!chunk) return;
      const blocks = (last + decoder.decode(chunk, { stream: true })).split("\n\n");
      const rest = blocks.pop()!;
      for (const end of blocks) {
        const block = begun + end;
        begun = "";
        // `retry` is for browsers.
        const fields = block
          .split("\n")
          .map((line) => /^(?:: (?=at ))?(\w+):? ?(.*)$/s.exec(line)?.slice(1) ?? []);
        yield Object.fromEntries(fields.filter(([name]) => name)) as Frame;
      }
      begun += rest.slice(0, -1);
      last = rest.slice(-1);
      if (begun.length > longestFrame) throw unfit(begun);
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    // Also if the caller leaves the loop.
    cancel();
  }
}
