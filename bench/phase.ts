import type { SlowDisk } from "./disk/slow-disk.ts";
import type { Figure } from "./figures/figure.ts";
import type { BenchOptions } from "./options.ts";
import type { LoadCalls } from "./processes/load.ts";
import type { ReceiverCalls } from "./processes/receiver.ts";
import type { BenchServer } from "./processes/server.ts";
import type { Child } from "./processes/start-child.ts";

/** What every phase needs. */
export interface Bench {
  readonly options: BenchOptions;
  /** For all files that are written during the measurement. */
  readonly folder: string;
  readonly load: Child<LoadCalls>;
  readonly receiver: Child<ReceiverCalls>;
  readonly receiverUrl: string;
  /** Null: nothing was asked for that needs a slower disk. */
  readonly disk: SlowDisk | null;
  /** Makes a new, empty database for each service; null with the embedded store. */
  readonly newDatabase: (() => Promise<string>) | null;
  /** All that the phase has started. Their memory is read at its end. */
  readonly servers: BenchServer[];
  /** Closed when the phase ends, also after a failure. */
  readonly opened: AsyncDisposableStack;
  readonly say: (text: string) => void;
}

export interface Phase {
  readonly name: string;
  readonly about: string;
  boundMs(options: BenchOptions): number;
  measure(bench: Bench): Promise<readonly Figure[]>;
}
