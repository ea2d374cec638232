import type { Timers } from "../../platform/timers.ts";

export interface DocumentFetch {
  readonly timers: Timers;
  /** For the whole request, up to the last byte. */
  readonly timeoutMs: number;
}

const mostBytes = 256 * 1_024;

/** Fetches a JSON document. It follows no redirect and stops reading when the document is too long. */
export async function fetchDocument(
  url: string,
  { timers, timeoutMs }: DocumentFetch,
): Promise<unknown> {
  const timeout = new AbortController();
  const timer = timers.after(timeoutMs, () =>
    timeout.abort(new Error(`${url} has not answered in ${timeoutMs} ms`)),
  );
  try {
    const response = await fetch(url, {
      headers: { accept: "application/json" },
      redirect: "manual",
      signal: timeout.signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`${url} answered ${response.status}`);
    }
    return JSON.parse(await readText(response, url));
  } finally {
    timer.cancel();
  }
}

async function readText(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > mostBytes) throw new Error(`${url} answered with more than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
