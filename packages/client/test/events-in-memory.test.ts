import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { Postdate } from "../src/index.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** A stream without an end, a piece for each event. */
function endless(): ReadableStream<Uint8Array> {
  let number = 0;
  return new ReadableStream(
    {
      pull: (controller) =>
        controller.enqueue(Buffer.from(`id: p${++number}\nevent: t\ndata: {"id":"evt_1"}\n\n`)),
    },
    { highWaterMark: 1 },
  );
}

test("a stream that is read for long keeps nothing of what was read, whether or not it has a signal", async () => {
  const postdate = new Postdate({
    url: "http://127.0.0.1:7070",
    key: `pd_${"a".repeat(32)}`,
    fetch: async () =>
      new Response(endless(), { headers: { "content-type": "text/event-stream" } }),
  });
  for (const signal of [undefined, new AbortController().signal]) {
    const events = postdate.events.stream("feed", { from: "p0", ...(signal && { signal }) });
    const read = async (count: number): Promise<void> => {
      for (let left = count; left > 0; left--) await events.next();
    };
    await read(1_000);
    const before = heldBytes();
    await read(40_000);
    // 100 bytes an event would be 4 MB.
    expect(heldBytes() - before).toBeLessThan(2_000_000);
    await events.return();
  }
});
