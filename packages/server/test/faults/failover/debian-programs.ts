import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The programs of the cluster, as Debian's packages install them. */
export interface Programs {
  readonly etcd: string;
  readonly patroni: string;
  readonly haproxy: string;
  readonly postgresBin: string;
}

const packages = {
  etcd: "etcd-server",
  patroni: "patroni",
  haproxy: "haproxy",
  postgres: "postgresql",
} as const;

/** If a program is missing, throws an error that names the packages to install. */
export function findPrograms(): Programs {
  const missing = new Set<string>();
  const find = (name: keyof typeof packages, folders: readonly string[]): string => {
    const found = folders.map((folder) => join(folder, name)).find(isExecutable);
    if (found === undefined) missing.add(packages[name]);
    return found ?? name;
  };
  const path = [...(process.env["PATH"] ?? "").split(":"), "/usr/bin", "/usr/sbin"];
  const programs = {
    etcd: find("etcd", path),
    patroni: find("patroni", path),
    haproxy: find("haproxy", path),
    postgresBin: join(find("postgres", [...postgresFolders(), ...path]), ".."),
  };
  if (missing.size > 0) {
    throw new Error(
      `The failover test needs Debian's packages. Missing are: ${[...missing].join(" ")}. Install them ` +
        `with: apt-get install --no-install-recommends ${[...missing].join(" ")}`,
    );
  }
  return programs;
}

/** If HAProxy is missing, throws an error that names its package. */
export function findHaproxy(): string {
  const path = [...(process.env["PATH"] ?? "").split(":"), "/usr/bin", "/usr/sbin"];
  const found = path.map((folder) => join(folder, "haproxy")).find(isExecutable);
  if (found !== undefined) return found;
  throw new Error(
    "The load balancer's test needs HAProxy. Install it with: apt-get install --no-install-recommends haproxy",
  );
}

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL does not run as root. In that case, returns the user that its package has made. */
export function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith("postgres:"));
  if (line === undefined) throw new Error("As root, the failover test needs the user postgres.");
  const [, , uid, gid] = line.split(":");
  return { uid: Number(uid), gid: Number(gid) };
}

/** Debian has a folder for each major version. The newest comes first. */
function postgresFolders(): string[] {
  const root = "/usr/lib/postgresql";
  try {
    return readdirSync(root)
      .toSorted((a, b) => Number(b) - Number(a))
      .map((version) => join(root, version, "bin"));
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
