import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

/**
 * The state of a link. `silent` lets nothing through and reports nothing, and what is on its way comes
 * late. `unanswering` does so only with answers. `refusing` breaks every connection and accepts no new one.
 * `resetting` lets a request through and breaks the connection before its answer.
 */
export type LinkState = "open" | "silent" | "unanswering" | "refusing" | "resetting";

/** A connection to a server that a test can cut. */
export interface CuttableLink extends AsyncDisposable {
  readonly url: string;
  become(state: LinkState): void;
  /** Changes the state as soon as a request with these words passes. */
  becomeAt(words: string, state: LinkState): void;
  /** How many connections it has broken. */
  readonly broken: number;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/** Stands between the clients that connect to `url` and the server at `serverUrl`. */
export async function linkTo(serverUrl: string): Promise<CuttableLink> {
  const to = new URL(serverUrl);
  const pairs = new Set<Pair>();
  let state: LinkState = "open";
  let broken = 0;
  let awaited: { readonly words: string; readonly next: LinkState } | null = null;

  const breakOff = (pair: Pair): void => {
    if (!pairs.delete(pair)) return;
    broken++;
    pair.near.resetAndDestroy();
    pair.far.destroy();
  };
  const hold = ({ near, far }: Pair): void => {
    if (state === "silent") near.pause();
    else near.resume();
    if (state === "silent" || state === "unanswering") far.pause();
    else far.resume();
  };
  const become = (next: LinkState): void => {
    awaited = null;
    state = next;
    for (const pair of pairs) {
      if (next === "refusing") breakOff(pair);
      hold(pair);
    }
  };
  const server = createServer({ pauseOnConnect: true }, (near) => {
    near.on("error", () => {});
    if (state === "refusing") {
      broken++;
      near.resetAndDestroy();
      return;
    }
    const far = connect(Number(to.port), to.hostname);
    const pair = { near, far };
    pairs.add(pair);
    far.on("error", () => near.destroy());
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.setNoDelay(true);
      one.on("close", () => {
        pairs.delete(pair);
        other.destroy();
      });
    }
    near.on("data", (bytes) => {
      if (awaited !== null && bytes.includes(awaited.words)) become(awaited.next);
      far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (state === "resetting") breakOff(pair);
      else near.write(bytes);
    });
    hold(pair);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    get broken() {
      return broken;
    },
    become,
    becomeAt(words, next) {
      awaited = { words, next };
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const pair of pairs) breakOff(pair);
      await once(server, "close");
    },
  };
}
