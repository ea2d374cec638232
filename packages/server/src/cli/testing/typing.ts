import type { Input } from "../surroundings/surroundings.ts";

export interface Typing extends Input {
  /** For each chunk, whether the terminal showed it. */
  readonly shown: boolean[];
}

/** A person at a terminal, who types these chunks one after the other. */
export function typing(...chunks: readonly string[]): Typing {
  const shown: boolean[] = [];
  let isRaw = false;
  return {
    isTTY: true,
    shown,
    setRawMode: (raw) => void (isRaw = raw),
    async *[Symbol.asyncIterator]() {
      for (const chunk of chunks) {
        shown.push(!isRaw);
        yield Buffer.from(chunk);
      }
    },
  };
}
