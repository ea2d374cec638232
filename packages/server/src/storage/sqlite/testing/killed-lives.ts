import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { Holder } from "../../store.ts";
import { ClockedExecutor } from "./clocked-executor.ts";
import type { SetClock } from "./clocked-executor.ts";

/** The life of one process on a store, as its only member. Each call is one commit. */
export class Life extends ClockedExecutor {
  readonly clock: SetClock;
  readonly holder: Holder;

  constructor(dataDir: string, clock: SetClock) {
    super(dataDir, clock);
    this.clock = clock;
    this.holder = this.run("join", "node", "all");
  }

  /** The rows as arrays. */
  values(select: string): unknown[][] {
    const statement = this.database.db.prepare(select);
    statement.setReturnArrays(true);
    return statement.all() as unknown as unknown[][];
  }
}

/** What a killed process has left, and what its clock showed then. */
export interface Kill {
  readonly dataDir: string;
  readonly wall: number;
}

export interface KilledLives {
  /** The data folder of the process that is killed again and again. */
  readonly first: string;
  /** From now on, notes what that process would leave if it were killed right before or after each commit. */
  killAtCommits(life: Life): Kill[];
}

/** Folders for tests, which are removed after each. */
export function killedLives(): KilledLives {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "postdate-killed-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  return {
    get first() {
      return join(folder, "first");
    },
    killAtCommits({ database: { db }, clock }) {
      const kills: Kill[] = [];
      const execute = db.exec.bind(db);
      // What is in the files is what the next process finds.
      const kill = (): void => {
        const dataDir = join(folder, `kill-${kills.length}`);
        for (const file of ["postdate.db", "postdate.db-wal"]) {
          cpSync(join(folder, "first", file), join(dataDir, file));
        }
        kills.push({ dataDir, wall: clock.wall });
      };
      db.exec = (sql) => {
        if (sql !== "COMMIT") return execute(sql);
        kill();
        execute(sql);
        kill();
      };
      return kills;
    },
  };
}
