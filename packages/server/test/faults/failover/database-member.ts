import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startProgram } from "./child-program.ts";
import type { ChildProgram } from "./child-program.ts";
import type { Account, Programs } from "./debian-programs.ts";
import { isAlive, processTree, signalAll } from "./process-tree.ts";

export interface MemberOptions {
  readonly name: string;
  readonly folder: string;
  readonly programs: Programs;
  readonly account: Account | undefined;
  readonly etcdPort: number;
  readonly restPort: number;
  readonly postgresPort: number;
}

/** The shortest times that Patroni documents. The defaults are 30, 10 and 10. */
const patroniTimes = { ttl: 20, loop_wait: 2, retry_timeout: 5 } as const;

export const passwords = { superuser: "superuser", replication: "replication" } as const;

/** One PostgreSQL and the Patroni that runs it, as if on one machine. */
export class DatabaseMember {
  readonly #options: MemberOptions;
  #patroni: ChildProgram | undefined;

  constructor(options: MemberOptions) {
    this.#options = options;
    writeFileSync(this.#configFile, JSON.stringify(configOf(options, this.#dataDir), null, 2));
  }

  get name(): string {
    return this.#options.name;
  }

  get restUrl(): string {
    return `http://127.0.0.1:${this.#options.restPort}`;
  }

  get restPort(): number {
    return this.#options.restPort;
  }

  get postgresPort(): number {
    return this.#options.postgresPort;
  }

  get #configFile(): string {
    // Patroni reads YAML, and JSON is YAML.
    return join(this.#options.folder, "patroni.yml");
  }

  get #dataDir(): string {
    return join(this.#options.folder, "data");
  }

  async start(): Promise<void> {
    const { programs, account, folder } = this.#options;
    this.#patroni = await startProgram({
      command: programs.patroni,
      args: [this.#configFile],
      account,
      folder,
      logFile: join(folder, "patroni.log"),
    });
  }

  /** The machine loses its power, without warning to any process. */
  async kill(): Promise<void> {
    const pids = this.#processes();
    // Stops all processes first, so that none reacts to the end of another.
    signalAll(pids, "SIGSTOP");
    signalAll(pids, "SIGKILL");
    await this.#patroni?.kill();
    this.#patroni = undefined;
    while (pids.some(isAlive)) await new Promise(setImmediate);
  }

  /** The machine stands still. Connections stay open, and nothing answers. */
  freeze(): void {
    signalAll(this.#processes(), "SIGSTOP");
  }

  thaw(): void {
    signalAll(this.#processes(), "SIGCONT");
  }

  log(): string {
    return `${this.name}:\n${this.#patroni?.log() ?? "not running"}`;
  }

  /** Patroni detaches PostgreSQL, so that it survives a restart of Patroni. */
  #processes(): number[] {
    const postmaster = this.#postmaster();
    return [
      ...(this.#patroni === undefined ? [] : processTree(this.#patroni.pid)),
      ...(postmaster === undefined ? [] : processTree(postmaster)),
    ];
  }

  #postmaster(): number | undefined {
    try {
      const pid = Number(
        readFileSync(join(this.#dataDir, "postmaster.pid"), "utf8").split("\n")[0],
      );
      // The file survives a crash, and another process may have its number by now.
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return command.some((each) => each.includes(this.#dataDir)) ? pid : undefined;
    } catch {
      return undefined;
    }
  }
}

function configOf(options: MemberOptions, dataDir: string): object {
  const { name, folder, programs, etcdPort, restPort, postgresPort } = options;
  return {
    scope: "postdate",
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    // Over the newer protocol, Patroni 3.0 renews its lock without checking who holds it. A primary that
    // stood still takes the lock back when it wakes up.
    etcd: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ...patroniTimes,
        synchronous_mode: true,
        // Prefers no writes to writes that only one machine has.
        synchronous_mode_strict: true,
        // The test writes much that the standby never gets, and still wants to see the standby promoted.
        maximum_lag_on_failover: 2 ** 30,
        postgresql: {
          use_pg_rewind: true,
          parameters: { synchronous_commit: "on", max_connections: 100 },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums"],
    },
    postgresql: {
      listen: `127.0.0.1:${postgresPort}`,
      connect_address: `127.0.0.1:${postgresPort}`,
      data_dir: dataDir,
      bin_dir: programs.postgresBin,
      pgpass: join(folder, "pgpass"),
      parameters: { unix_socket_directories: folder },
      pg_hba: [
        "host all all 127.0.0.1/32 scram-sha-256",
        "host replication replication 127.0.0.1/32 scram-sha-256",
      ],
      authentication: {
        superuser: { username: "postgres", password: passwords.superuser },
        replication: { username: "replication", password: passwords.replication },
      },
    },
  };
}
