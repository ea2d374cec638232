import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { parseDuration } from "../../src/config/durations.ts";
import { schema, settingNames } from "../../src/config/schema.ts";
import { chart, manifestsIn, renderChart } from "./support/render-chart.ts";

const root = join(import.meta.dirname, "../../../..");
const folder = join(root, "deploy");
const read = (path: string): string => readFileSync(join(folder, path), "utf8");
const paths = globSync("**/{*,.*}", { cwd: folder, exclude: ["secrets/**", ".env"] }).filter(
  (path) => statSync(join(folder, path)).isFile(),
);

const settings = settingNames.map((name) => schema[name]);
const secrets = settings.filter(({ secret }) => secret).map(({ env }) => env);
const dockerfile = read("Dockerfile");
const compose = parse(read("compose.yaml"), { merge: true });
const haproxy = read("haproxy/haproxy.cfg");
const unit = read("postdate.service");

function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "postdate-deploy-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

describe.each(paths)("deploy/%s", (path) => {
  const text = read(path);

  test("names only variables that the service reads", () => {
    const known = new Set<string>(settings.flatMap(({ env }) => [env, `${env}_FILE`]));
    const named = text.match(/\bPOSTDATE_[A-Z_]*[A-Z]\b/g) ?? [];
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  test("gives no secret as a value", () => {
    const given = text
      .split("\n")
      .filter((line) => !line.trimStart().startsWith("#"))
      .filter((line) => new RegExp(`\\b(${secrets.join("|")})\\s*[:=]`).test(line));
    expect(given).toEqual([]);
  });
});

/** Of npm, tar, Docker, systemd, openssl, kubectl and pg_isready. */
const otherFlags = new Set([
  ...["--build", "--build-arg", "--detach", "--format", "--wait"],
  ...["--audit", "--ignore-scripts", "--no-audit", "--no-fund", "--omit", "--pack-destination"],
  ...["--package-lock-only", "--sbom-format", "--sbom-type", "--workspace"],
  ...["--from", "--mount"],
  ...["--group", "--owner", "--silent"],
  ...["--chown", "--interval", "--retries", "--start-period", "--strip-components", "--timeout"],
  ...["--dbname", "--host", "--username"],
  ...["--from-file", "--namespace"],
]);

test("every flag is one of the service, or of the program that it stands beside", () => {
  const flags = new Set(settings.map(({ flag }) => flag as string | null));
  const files = paths.filter((path) => !path.endsWith(".json"));
  const named = new Set(
    files.flatMap((path) => read(path).match(/(?<![\w-])--[a-z][a-z-]+/g) ?? []),
  );
  expect([...named].filter((flag) => !flags.has(flag) && !otherFlags.has(flag))).toEqual([]);
  for (const flag of ["--drain-timeout", "--max-in-flight", "--trust-proxy", "--cancel-wait"]) {
    expect([...named]).toContain(flag);
  }
});

const port = schema.port.default;

test("everything that leads to the service leads to its port, and metrics have the same one everywhere", () => {
  expect(dockerfile).toMatch(new RegExp(`^EXPOSE ${port}$`, "m"));
  expect(dockerfile).toContain(`process.env.POSTDATE_PORT || ${port}`);
  const servers = [...haproxy.matchAll(/^\s+server (\S+) (\S+):(\d+)$/gm)];
  expect(servers.map(([, , host]) => host)).toEqual(["node-1", "node-2", "node-3"]);
  expect(servers.map(([, , , to]) => Number(to))).toEqual([port, port, port]);
  const { environment, healthcheck } = compose.services["node-1"];
  expect(healthcheck.test.at(-1)).toContain(`:${port}/readyz`);
  const texts = renderChart({});
  const workload = manifestsIn(texts).find(({ kind }) => kind === "StatefulSet");
  // oxlint-disable-next-line typescript/no-explicit-any
  const [{ env, ports, ...probes }] = (workload!["spec"] as any).template.spec.containers;
  expect(probes).toMatchObject({
    startupProbe: { httpGet: { path: "/healthz", port: "http" } },
    livenessProbe: { httpGet: { path: "/healthz", port: "http" } },
    readinessProbe: { httpGet: { path: "/readyz", port: "http" } },
  });
  const valueOf = (wanted: string): number =>
    Number(env.find(({ name }: { name: string }) => name === wanted).value);
  expect(ports).toMatchObject([
    { name: "http", containerPort: valueOf("POSTDATE_PORT") },
    { name: "metrics", containerPort: valueOf("POSTDATE_METRICS_PORT") },
  ]);
  expect(valueOf("POSTDATE_PORT")).toBe(port);
  expect(valueOf("POSTDATE_METRICS_PORT")).toBe(environment.POSTDATE_METRICS_PORT);
  expect(texts.get("templates/NOTES.txt")).toContain(`${port}:${port}`);
});

test("what is asked for health is a route of the service", () => {
  const routes = readFileSync(join(root, "packages/server/src/http/routes/service.ts"), "utf8");
  const asked = paths.flatMap((path) => read(path).match(/\/(healthz|readyz|metrics)\b/g) ?? []);
  expect(new Set(asked)).toEqual(new Set(["/healthz", "/readyz", "/metrics"]));
  for (const path of new Set(asked)) expect(routes).toContain(`"${path}"`);
});

test("whoever stops the service waits until it has drained, and has said so to a database that hangs", () => {
  const neededMs = schema.drainTimeoutMs.default + 2 * 8_000;
  const grace = {
    chart: Number(parse(read("helm/postdate/values.yaml")).terminationGracePeriodSeconds) * 1_000,
    compose: parseDuration(compose.services["node-1"].stop_grace_period),
    systemd: Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]) * 1_000,
  };
  for (const [where, graceMs] of Object.entries(grace)) {
    expect(graceMs, where).toBeGreaterThan(neededMs);
  }
});

test("the balancer waits longer than a node may take", () => {
  const [, longest] = /to (\S+)$/.exec(schema.cancelWaitMs.kind.accepts)!;
  const [, server] = /^\s+timeout server (\S+)$/m.exec(haproxy)!;
  expect(parseDuration(server!)).toBeGreaterThan(parseDuration(longest!) + 13_000);
});

test("every part of compose.yaml is read-only, gains no rights and is asked how it is", () => {
  const names = Object.keys(compose.services);
  expect(names).toEqual(["node-1", "node-2", "node-3", "load-balancer", "postgres"]);
  for (const name of names) {
    expect(compose.services[name], name).toMatchObject({
      read_only: true,
      security_opt: ["no-new-privileges:true"],
      healthcheck: { test: expect.arrayContaining(["CMD"]) },
    });
    for (const word of compose.services[name].healthcheck.test)
      expect(word).toEqual(expect.any(String));
  }
  const made = [...read("make-secrets.sh").matchAll(/^make (\S+) /gm)].map(([, name]) => name!);
  expect(Object.keys(compose.secrets).toSorted()).toEqual(made.toSorted());
});

test("the image says what it is, and has the Node.js of the project", () => {
  const manifest = JSON.parse(readFileSync(join(root, "packages/server/package.json"), "utf8"));
  const label = (name: string): string | undefined =>
    new RegExp(`org\\.opencontainers\\.image\\.${name}="([^"]*)"`).exec(dockerfile)?.[1];
  expect(label("title")).toBe(manifest.name);
  expect(label("description")).toBe(manifest.description);
  expect(label("licenses")).toBe(manifest.license);
  expect(`git+${label("source")}.git`).toBe(manifest.repository.url);
  expect(dockerfile).toContain(`ARG VERSION=${manifest.version}\n`);
  expect(chart["home"]).toBe(label("url"));
  const [major] = readFileSync(join(root, ".nvmrc"), "utf8").split(".");
  expect(dockerfile).toMatch(new RegExp(`^ARG BUILD_IMAGE=node:${major}-`, "m"));
  expect(dockerfile).toMatch(new RegExp(`^ARG RUNTIME_IMAGE=\\S+/nodejs${major}-`, "m"));
});

test.skipIf(process.platform === "win32")(
  "pin-images.sh finds every image, and keeps what else is in .env",
  () => {
    const copy = newFolder();
    for (const name of ["Dockerfile", "compose.yaml", "pin-images.sh"]) {
      cpSync(join(folder, name), join(copy, name));
    }
    const digestOf = (image: string): string => `sha256:${Buffer.from(image).toString("hex")}`;
    // Stands for the registries, which no test may ask: the digest of an image is its name in hexadecimal.
    const docker = `#!/bin/sh\n[ "$1 $2 $3" = "buildx imagetools inspect" ] || exit 1\nprintf 'sha256:'; printf '%s' "$6" | od -An -v -tx1 | tr -d ' \\n'; echo\n`;
    writeFileSync(join(copy, "docker"), docker, { mode: 0o755 });
    writeFileSync(join(copy, ".env"), "POSTDATE_ALLOW_CIDRS=10.0.0.0/8\nBUILD_IMAGE=old\n");
    const env = { ...process.env, PATH: `${copy}:${process.env["PATH"]}` };
    execFileSync(join(copy, "pin-images.sh"), { env });
    const images = [...read("compose.yaml").matchAll(/\$\{([A-Z]+_IMAGE):-([^}]+)\}/g)];
    expect(images).toHaveLength(4);
    const pinned = images.map(([, name, image]) => `${name}=${image}@${digestOf(image!)}`);
    const lines = readFileSync(join(copy, ".env"), "utf8").trimEnd().split("\n");
    expect(lines).toEqual(["POSTDATE_ALLOW_CIDRS=10.0.0.0/8", ...pinned.toSorted()]);
    const unnamed = [...read("compose.yaml").matchAll(/^\s+image: (?!\$)(\S+)$/gm)];
    expect(unnamed.map(([, image]) => image)).toEqual(["postdate"]);
    for (const [, name, image] of dockerfile.matchAll(/^ARG ([A-Z]+_IMAGE)=(\S+)$/gm)) {
      expect(pinned).toContain(`${name}=${image}@${digestOf(image!)}`);
    }
  },
);

/** The exposure that systemd computes for a unit, from 0 to 10, times ten. */
const allowedExposure = 15;
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test.runIf(hasSystemd)("systemd understands the unit with its secrets, and finds it safe", () => {
  const copy = newFolder();
  // systemd looks whether the program is there.
  const started = "/opt/postdate/bin/node";
  expect(unit).toContain(`ExecStart=${started} `);
  writeFileSync(join(copy, "postdate.service"), unit.replace(started, process.execPath));
  cpSync(join(folder, "postdate.service.d"), join(copy, "postdate.service.d"), { recursive: true });
  const service = join(copy, "postdate.service");
  const env = { ...process.env, SYSTEMD_UNIT_PATH: `${copy}:` };
  const verified = spawnSync("systemd-analyze", ["verify", service], { env, encoding: "utf8" });
  // It looks at what the unit depends on, too, which is the machine's.
  expect(verified.stderr.split("\n").filter((line) => line.includes("postdate"))).toEqual([]);
  const exposure = ["security", "--offline=yes", `--threshold=${allowedExposure}`, service];
  const found = spawnSync("systemd-analyze", exposure, { env, encoding: "utf8" });
  expect(found.status, found.stdout).toBe(0);
});
