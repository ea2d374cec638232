import { once } from "node:events";
import type { History } from "../../history/history.ts";
import { Chance } from "../../history/support/chance.ts";
import { killRun } from "../kills/kill-run.ts";
import { RecordedFolder } from "./recorded-folder.ts";
import type { CutMoment } from "./recorded-folder.ts";

export interface PowerLossOptions {
  readonly seed: number;
  /** When the power of each server is cut. */
  readonly moments: readonly ((chance: Chance) => CutMoment)[];
  /** The environment of the servers whose power is cut. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface PowerLossRun {
  readonly history: History;
  /** Writes that were missing or incomplete on the disk after a power cut. */
  readonly lostWrites: number;
}

/** Cuts the power of servers under load. Each next server finds what the disk would have held. */
export async function powerLossRun(options: PowerLossOptions): Promise<PowerLossRun> {
  const { seed, moments, env = {} } = options;
  const chance = new Chance(seed);
  let lostWrites = 0;
  using ending = new DisposableStack();
  let folder: RecordedFolder | undefined;
  const history = await killRun({
    writers: 12,
    kills: moments.length + 1,
    lifeMs: 0,
    env: (run, dataDir) => {
      folder ??= ending.use(new RecordedFolder(dataDir));
      // The first server makes the data and the target, and the last one shows what is left.
      const moment = moments[run - 1];
      return moment === undefined ? {} : { ...env, ...folder.env(moment(chance)) };
    },
    async end({ number, server }) {
      if (number === 0) await server.kill();
      else {
        if (server.process.signalCode === null) await once(server.process, "exit");
        lostWrites += folder!.cutPower(chance);
      }
      return Date.now();
    },
  });
  return { history, lostWrites };
}
