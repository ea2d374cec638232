import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { vi } from "vitest";
import { startProgram } from "./child-program.ts";
import type { ChildProgram } from "./child-program.ts";
import { DatabaseMember, passwords } from "./database-member.ts";
import { findPrograms, unprivilegedAccount } from "./debian-programs.ts";
import { freePorts } from "./free-ports.ts";
import { haproxyConfig } from "./haproxy-config.ts";

export interface Roles {
  readonly primary: DatabaseMember;
  readonly standby: DatabaseMember;
  readonly timeline: number;
}

export interface PatroniCluster extends AsyncDisposable {
  /** Makes a database behind the balancer. Its owner is a user without special rights. */
  createDatabase(name: string): Promise<string>;
  /** Resolves once there is a primary with a standby that Patroni may promote. */
  whenWhole(): Promise<Roles>;
  /** Resolves once the first leads and the second is its standby, synchronous or not. */
  whenFollowed(primary: DatabaseMember, standby: DatabaseMember): Promise<void>;
  /** Exchanges the roles as an operator does. */
  exchange(primary: DatabaseMember, standby: DatabaseMember): Promise<void>;
  /** Cancels commits that wait for a standby that stands still and will never get them. */
  cancelWaitingCommits(primary: DatabaseMember, enough: () => boolean): Promise<void>;
  /** The last output of each Patroni, for the message of a failed test. */
  log(): string;
  /** Resolves with the new timeline once this member was promoted from the given timeline. */
  whenPromoted(member: DatabaseMember, from: number): Promise<number>;
}

const patiently = { timeout: 60_000, interval: 100 };

/** Two PostgreSQL servers under Patroni with one etcd, and HAProxy in front of the primary. */
export async function startPatroniCluster(): Promise<PatroniCluster> {
  const programs = findPrograms();
  const account = unprivilegedAccount();
  await using leftovers = new AsyncDisposableStack();
  const root = mkdtempSync(join(tmpdir(), "postdate-failover-"));
  leftovers.defer(() => rmSync(root, { recursive: true, force: true }));
  const makeFolder = (name: string): string => {
    const folder = join(root, name);
    mkdirSync(folder);
    if (account !== undefined) chownSync(folder, account.uid, account.gid);
    return folder;
  };
  chmodSync(root, 0o755);
  const [etcdPort, peerPort, proxyPort, ...ports] = await freePorts(7);

  const run = async (name: string, command: string, args: readonly string[], env = {}) => {
    const folder = join(root, name);
    const logFile = join(folder, `${name}.log`);
    const program = await startProgram({ command, args, env, account, folder, logFile });
    leftovers.defer(() => program.kill());
    return program;
  };
  makeFolder("etcd");
  const etcd = await run(
    "etcd",
    programs.etcd,
    etcdArguments(etcdPort!, peerPort!),
    etcdEnvironment,
  );
  await answers(`http://127.0.0.1:${etcdPort}/health`, etcd);

  const members = ["a", "b"].map(
    (name, index) =>
      new DatabaseMember({
        name,
        folder: makeFolder(name),
        programs,
        account,
        etcdPort: etcdPort!,
        restPort: ports[index * 2]!,
        postgresPort: ports[index * 2 + 1]!,
      }),
  );
  for (const member of members) {
    leftovers.defer(() => member.kill());
    await member.start();
  }

  const proxyFolder = makeFolder("haproxy");
  const proxyFile = join(proxyFolder, "haproxy.cfg");
  writeFileSync(proxyFile, haproxyConfig(proxyPort!, members));
  await run("haproxy", programs.haproxy, ["-db", "-f", proxyFile]);

  const cluster: Omit<PatroniCluster, typeof Symbol.asyncDispose> = {
    async createDatabase(name) {
      await asSuperuser(proxyPort!, async (client) => {
        await client.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`);
        await client.query(`CREATE DATABASE ${name} OWNER ${name}`);
      });
      return `postgres://${name}:${name}@127.0.0.1:${proxyPort}/${name}`;
    },
    cancelWaitingCommits: ({ postgresPort }, enough) =>
      asSuperuser(postgresPort, async (client) => {
        // More than the connection to the standby can buffer. Otherwise the standby would find the rest
        // there.
        await client.query(`SELECT pg_logical_emit_message(false, 'fill', repeat('x', 1000000))
          FROM generate_series(1, 32)`);
        while (!enough()) {
          await client.query(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity
            WHERE wait_event = 'SyncRep' AND application_name = 'postdate'`);
        }
      }),
    whenWhole: () =>
      vi.waitFor(async () => {
        const roles = await rolesOf(members);
        const primary = members.find(({ name }) => roles.get(name) === "leader");
        const standby = members.find(({ name }) => roles.get(name) === "sync_standby");
        if (primary === undefined || standby === undefined) {
          throw new Error(`roles are ${JSON.stringify([...roles])}`);
        }
        return { primary, standby, timeline: await timelineOf(primary) };
      }, patiently),
    log: () => members.map((member) => member.log()).join("\n"),
    whenFollowed: (primary, standby) =>
      vi.waitFor(async () => {
        const roles = await rolesOf(members);
        const following = /^(?:replica|sync_standby)$/.test(roles.get(standby.name) ?? "");
        if (!following || roles.get(primary.name) !== "leader") {
          throw new Error(`roles are ${JSON.stringify([...roles])}`);
        }
      }, patiently),
    async exchange(primary, standby) {
      const response = await fetch(`${primary.restUrl}/switchover`, {
        method: "POST",
        body: JSON.stringify({ leader: primary.name, candidate: standby.name }),
      });
      if (response.status !== 200) throw new Error(`no switchover: ${await response.text()}`);
    },
    whenPromoted: (member, from) =>
      vi.waitFor(async () => {
        // Patroni answers as the primary once it has the lock, a moment before the promotion.
        const timeline = await timelineOf(member);
        if (timeline <= from) throw new Error(`${member.name} is still on timeline ${timeline}`);
        return timeline;
      }, patiently),
  };
  await cluster.whenWhole();
  const owned = leftovers.move();
  return { ...cluster, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function asSuperuser(
  port: number,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const { superuser: password } = passwords;
  const connectionString = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Debian's etcd requires this on processors that its authors do not test. */
const etcdEnvironment = { ETCD_UNSUPPORTED_ARCH: process.arch === "x64" ? "amd64" : process.arch };

function etcdArguments(clientPort: number, peerPort: number): string[] {
  const client = `http://127.0.0.1:${clientPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  return [
    ...["--data-dir", "data", "--listen-client-urls", client, "--advertise-client-urls", client],
    ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
    ...["--initial-cluster", `default=${peer}`, "--enable-v2"],
  ];
}

async function answers(url: string, program: ChildProgram): Promise<void> {
  await vi.waitFor(async () => {
    const response = await fetch(url).catch(() => undefined);
    if (response?.status !== 200) throw new Error(`${url} does not answer:\n${program.log()}`);
  }, patiently);
}

/** Patroni's view, from the member that answers first. */
async function rolesOf(members: readonly DatabaseMember[]): Promise<Map<string, string>> {
  const view = await Promise.any(
    members.map(async ({ restUrl }) => {
      const response = await fetch(`${restUrl}/cluster`, { signal: AbortSignal.timeout(2_000) });
      return (await response.json()) as { members: { name: string; role: string }[] };
    }),
  ).catch(() => ({ members: [] }));
  return new Map(view.members.map(({ name, role }) => [name, role]));
}

/** Throws unless the member is the primary, by the same request that the balancer sends. */
async function timelineOf({ restUrl, name }: DatabaseMember): Promise<number> {
  const response = await fetch(`${restUrl}/primary`, { signal: AbortSignal.timeout(2_000) });
  const { timeline } = (await response.json()) as { timeline?: number };
  if (response.status !== 200 || timeline === undefined) throw new Error(`${name} is no primary`);
  return timeline;
}
