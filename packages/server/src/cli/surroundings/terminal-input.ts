import { pause, type Timers } from "../../platform/timers.ts";
import type { Input } from "./surroundings.ts";

/** What this needs of Node.js's own stdin. */
export interface StandardInput extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
  read(size?: number): Uint8Array | string | null;
  destroy(): unknown;
}

/** Long enough for Node.js to read what the terminal holds, and too short to be noticed. */
const drainMs = 20;

/** Stdin for the commands. */
export function terminalInput(stdin: StandardInput, timers: Timers): Input {
  const setRawMode = (isRaw: boolean): unknown => stdin.setRawMode?.(isRaw);
  return {
    isTTY: stdin.isTTY === true,
    setRawMode,
    destroy: () => stdin.destroy(),
    async discardTyped() {
      // Otherwise the terminal keeps a line back until it is complete.
      setRawMode(true);
      try {
        // Begins to read, and takes nothing.
        stdin.read(0);
        await pause(timers, drainMs);
        let typed = "";
        for (let chunk = stdin.read(); chunk !== null; chunk = stdin.read()) {
          typed += Buffer.from(chunk as Uint8Array).toString();
        }
        return typed;
      } finally {
        setRawMode(false);
      }
    },
    [Symbol.asyncIterator]: () => stdin[Symbol.asyncIterator](),
  };
}
