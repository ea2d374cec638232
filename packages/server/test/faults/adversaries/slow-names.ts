import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A machine whose name server never answers. Only commands run with `within` see it. */
export interface SlowNames extends AsyncDisposable {
  readonly within: readonly string[];
  /** A name that needs no server: it leads to this machine. */
  readonly quickName: string;
  /** How often the server was asked. */
  asked(): number;
}

const address = "127.0.0.200";
const quickName = "receiver.test";

/** Needs the right to make a namespace, and to listen on port 53, the only one that the system's resolver asks. */
export async function slowNames(): Promise<SlowNames> {
  const server = createSocket("udp4");
  let asked = 0;
  server.on("message", () => asked++);
  server.bind(53, address);
  await once(server, "listening");
  const folder = mkdtempSync(join(tmpdir(), "postdate-names-"));
  writeFileSync(join(folder, "hosts"), `127.0.0.1 localhost ${quickName}\n`);
  writeFileSync(
    join(folder, "resolv.conf"),
    `nameserver ${address}\noptions timeout:10 attempts:2\n`,
  );
  const mounts = ["hosts", "resolv.conf"].map((file) => `mount --bind "$0/${file}" /etc/${file}`);
  const script = [...mounts, 'exec "$@"'].join(" && ");
  return {
    within: ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, folder],
    quickName,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
