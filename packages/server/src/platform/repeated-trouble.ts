import type { Timers } from "./timers.ts";

/** How often a trouble that goes on is told. */
const tellEveryMs = 10_000;
/** More kinds of trouble at once than any failure has brought so far. Further ones count as one. */
const mostKinds = 100;

/** A line about an error, as the logger gets it. */
export interface TroubleLine {
  readonly level: number;
  readonly text: string;
  readonly error: unknown;
}

interface Repeated {
  count: number;
  /** Writes the latest line that was not written, with the count of them. */
  tell: ((repeated: number) => void) | undefined;
}

/**
 * Writes the first line of each trouble. The same trouble again is only counted, and told every ten seconds
 * with its count for as long as it goes on. So a thousand failures a second neither fill the disk nor hide
 * other lines.
 */
export class RepeatedTrouble {
  readonly #timers: Timers;
  readonly #seen = new Map<string, Repeated>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** `write` is called at once, or later with the number of lines that it stands for, or never. */
  note(line: TroubleLine, write: (repeated: number | undefined) => void): void {
    const kind = kindOf(line);
    const key = this.#seen.has(kind) || this.#seen.size < mostKinds ? kind : "";
    const seen = this.#seen.get(key);
    if (seen === undefined) {
      this.#seen.set(key, { count: 0, tell: undefined });
      this.#lookLater(key);
      return write(undefined);
    }
    seen.count++;
    seen.tell = write;
  }

  /** Tells every count that is not told yet, for a process that ends. */
  tellAll(): void {
    for (const repeated of this.#seen.values()) tell(repeated);
  }

  #lookLater(key: string): void {
    this.#timers.after(tellEveryMs, () => {
      const repeated = this.#seen.get(key);
      if (repeated === undefined || repeated.count === 0) return this.#seen.delete(key);
      tell(repeated);
      return this.#lookLater(key);
    });
  }
}

function tell(repeated: Repeated): void {
  const { count, tell: write } = repeated;
  repeated.count = 0;
  repeated.tell = undefined;
  write?.(count);
}

/**
 * The same trouble has the same text, apart from ids, and an error of the same kind from the same place in
 * the code. The error's message is left out: it may name what it is about.
 */
function kindOf({ level, text, error }: TroubleLine): string {
  const withoutIds = text.replaceAll(/\b[a-z]{3}_\w+/g, "…");
  if (!(error instanceof Error)) return `${level} ${withoutIds}`;
  const { code } = error as NodeJS.ErrnoException;
  const place = /^ *at .*/m.exec(error.stack ?? "")?.[0] ?? "";
  return `${level} ${withoutIds} ${error.name} ${code ?? ""} ${place}`;
}
