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

/** Server-sent events as they arrive. Ends when the stream ends, breaks, falls silent or is aborted. */
export async function* framesOf(
  stream: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<Frame, void, undefined> {
  const reader = stream.getReader();
  // Ends the connection and a read that waits. A race of each read with one promise of the signal would keep something
  // of every event for as long as the stream is read.
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", cancel);
  if (signal?.aborted) cancel();
  const decoder = new TextDecoder();
  let left = "";
  try {
    for (;;) {
      let chunk: Uint8Array | undefined;
      const reading = reader.read().then(
        ({ value }) => void (chunk = value),
        () => {},
      );
      await within(longestSilenceMs, reading);
      if (!chunk) return;
      const blocks = (left + decoder.decode(chunk, { stream: true })).split("\n\n");
      left = blocks.pop()!;
      for (const block of blocks) {
        // `retry` is for browsers.
        const fields = block
          .split("\n")
          .map((line) => /^(?:: (?=at ))?(\w+):? ?(.*)$/s.exec(line)?.slice(1) ?? []);
        yield Object.fromEntries(fields.filter(([name]) => name)) as Frame;
      }
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    // Also if the caller leaves the loop.
    cancel();
  }
}
