import { execFile } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { installedPrometheus } from "../../support/installed-prometheus.ts";
import type { PrometheusPrograms } from "../../support/installed-prometheus.ts";

const run = promisify(execFile);

/**
 * The programs of the system, or else those of Debian's package. The package is only unpacked into the folder: nothing
 * is installed, so no service of it starts.
 */
export async function findPrometheus(folder: string): Promise<PrometheusPrograms> {
  const installed = installedPrometheus();
  if (installed !== undefined) return installed;
  await mkdir(folder, { recursive: true });
  try {
    await download(folder).catch(async () => {
      const [program, ...rest] = [
        ...(process.getuid?.() === 0 ? [] : ["sudo", "-n"]),
        ...["apt-get", "update"],
      ] as [string, ...string[]];
      await run(program, rest);
      await download(folder);
    });
    const file = (await readdir(folder)).find((name) => name.endsWith(".deb"));
    await run("dpkg-deb", ["--extract", file!, "unpacked"], { cwd: folder });
  } catch (error) {
    throw new Error(
      "This test needs Prometheus: install it (Debian and Ubuntu: apt-get install --no-install-recommends prometheus), or let apt-get download the package.",
      { cause: error },
    );
  }
  const bin = join(folder, "unpacked/usr/bin");
  return { prometheus: join(bin, "prometheus"), promtool: join(bin, "promtool") };
}

async function download(folder: string): Promise<void> {
  await run("apt-get", ["download", "prometheus"], { cwd: folder });
}
