import type { Figure } from "./figures/figure.ts";
import type { BenchOptions } from "./options.ts";
import type { LoadCalls } from "./processes/load.ts";
import type { ReceiverCalls } from "./processes/receiver.ts";
import type { Child } from "./processes/start-child.ts";

/** What every phase works with. */
export interface Bench {
  readonly options: BenchOptions;
  /** For everything that is written while measuring. */
  readonly folder: string;
  readonly load: Child<LoadCalls>;
  readonly receiver: Child<ReceiverCalls>;
  readonly receiverUrl: string;
  /** A new, empty database for each service; null with the embedded store. */
  readonly newDatabase: (() => Promise<string>) | null;
  /** Closed when the phase ends, however it ends. */
  readonly opened: AsyncDisposableStack;
  readonly say: (text: string) => void;
}

export interface Phase {
  readonly name: string;
  readonly about: string;
  boundMs(options: BenchOptions): number;
  measure(bench: Bench): Promise<readonly Figure[]>;
}
