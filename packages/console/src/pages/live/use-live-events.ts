import type { ReadEvent } from "@postdate/client";
import { useEffect, useRef, useState } from "react";
import { postdate } from "../../api/postdate.ts";

/** More than anybody reads; the page stays quick. */
const mostShown = 500;
/** How often the page shows what has come: a busy service has more events than a screen has frames. */
const betweenDrawsMs = 250;

export interface LiveEvents {
  /** The newest first. */
  readonly events: readonly ReadEvent[];
  /** How many came and are not shown any more. */
  readonly dropped: number;
  /** Whether events left the retention before they could be read. */
  readonly hasGap: boolean;
  /** Whether every event from now on will be shown. */
  readonly isFollowing: boolean;
  readonly connection: Connection;
  /** Nothing more comes until somebody tries again. */
  readonly failure: { readonly error: unknown; readonly tryAgain: () => void } | null;
}

/** `lost` is tried again until it succeeds. */
export type Connection = "opening" | "open" | "lost";

const nothing: LiveEvents = {
  events: [],
  dropped: 0,
  hasGap: false,
  isFollowing: false,
  connection: "opening",
  failure: null,
};

/**
 * Follows an endpoint. While it is paused nothing is read, and afterwards it goes on behind the last event: nothing
 * that happened meanwhile is missed.
 */
export function useLiveEvents(endpointId: string, isPaused: boolean): LiveEvents {
  const [live, setLive] = useState(nothing);
  const position = useRef<{ readonly endpointId: string; readonly at: string | undefined }>(null);

  useEffect(() => {
    if (position.current?.endpointId !== endpointId) {
      position.current = { endpointId, at: undefined };
      setLive(nothing);
    }
    if (isPaused) return undefined;
    const leaving = new AbortController();
    let fresh: ReadEvent[] = [];
    const draw = (): void => {
      const drawn = fresh.toReversed();
      fresh = [];
      if (drawn.length > 0) setLive((old) => withEvents(old, drawn));
    };
    const timer = setInterval(draw, betweenDrawsMs);
    const follow = async (): Promise<void> => {
      const { signal } = leaving;
      // Where the page was left, also if nothing had come until then.
      const from =
        position.current!.at ??
        (await postdate.events.read(endpointId, {}, { signal })).nextPosition;
      position.current = { endpointId, at: from };
      setLive((old) => ({ ...old, isFollowing: true }));
      const stream = postdate.events.stream(endpointId, {
        from,
        signal,
        onGap: () => setLive((old) => ({ ...old, hasGap: true })),
        onOpen: () => setLive((old) => ({ ...old, connection: "open" })),
        onBreak: () => setLive((old) => ({ ...old, connection: "lost" })),
      });
      for await (const event of stream) {
        position.current = { endpointId, at: event.position };
        fresh.push(event);
      }
    };
    const begin = (): void => {
      follow().catch((error: unknown) => {
        if (!leaving.signal.aborted) setLive((old) => ({ ...old, failure: { error, tryAgain } }));
      });
    };
    const startOver = (): void =>
      setLive((old) => ({ ...old, connection: "opening", failure: null }));
    const tryAgain = (): void => {
      startOver();
      begin();
    };
    begin();
    return () => {
      leaving.abort();
      clearInterval(timer);
      draw();
      startOver();
    };
  }, [endpointId, isPaused]);

  return live;
}

function withEvents(old: LiveEvents, fresh: readonly ReadEvent[]): LiveEvents {
  const events = [...fresh, ...old.events];
  return {
    ...old,
    events: events.slice(0, mostShown),
    dropped: old.dropped + Math.max(0, events.length - mostShown),
  };
}
