import { statfs } from "node:fs/promises";
import { cpus, release, tmpdir, totalmem, type } from "node:os";
import { DatabaseSync } from "node:sqlite";

const inMemory = 0x01_02_19_94;

/** Describes the machine that the figures were measured on, in lines. */
export async function describeMachine(database: string | null): Promise<string[]> {
  const cores = cpus();
  const { type: fileSystem } = await statfs(tmpdir());
  const db = new DatabaseSync(":memory:");
  const { version } = db.prepare("SELECT sqlite_version() AS version").get() as { version: string };
  db.close();
  const store = database ?? `SQLite ${version}`;
  return [
    `${cores.length} × ${cores[0]?.model ?? "unknown processor"}, ${Math.round(totalmem() / 2 ** 30)} GiB of memory`,
    `${type()} ${release()}, Node.js ${process.versions.node}, ${store}`,
    "Servers, limits, callers, receiver and database share these cores: compare only the ratios with other machines.",
    ...(fileSystem === inMemory
      ? ["WARNING: the data is on a file system in memory, where syncing costs nothing."]
      : []),
  ];
}
