import { expect, test } from "vitest";
import { readSettings, type SettingsSources } from "./read-settings.ts";
import type { Settings } from "./settings.ts";

function reading(sources: Partial<SettingsSources>) {
  const readFile = (path: string): string => {
    throw new Error(`no such file: ${path}`);
  };
  return readSettings({ flags: {}, env: {}, readFile, ...sources });
}

function settings(sources: Partial<SettingsSources>): Settings {
  const result = reading(sources);
  if (result.kind === "mistakes") throw new Error(result.mistakes.join("\n"));
  return result.settings;
}

function mistakes(sources: Partial<SettingsSources>): readonly string[] {
  const result = reading(sources);
  return result.kind === "mistakes" ? result.mistakes : [];
}

test("without flags and environment every setting has its default", () => {
  expect(settings({})).toEqual({
    host: "127.0.0.1",
    port: 7070,
    metricsPort: null,
    metricsHost: null,
    metricsPerTarget: 0,
    dataDir: "./postdate-data",
    databaseUrl: null,
    schemaUpgrade: "auto",
    role: "all",
    allowCidrs: [],
    rootKey: null,
    writeRootKey: null,
    operatorKey: null,
    encryptionKey: null,
    otherEncryptionKeys: [],
    retentionMs: 1_209_600_000,
    cancelWaitMs: 5_000,
    maxInFlight: 1_000,
    drainTimeoutMs: 20_000,
    nodeLeaseMs: 10_000,
    idempotencyRetentionMs: 86_400_000,
    monthlyMessageLimit: null,
    requestLimit: null,
    maxRequests: 2_000,
    maxLoopDelayMs: 500,
    publicUrl: null,
    trustProxies: [],
    tokenLifetimeMs: 3_600_000,
    tokenRequestLimit: { max: 120, intervalMs: 60_000 },
    signingKeyRotationMs: 2_592_000_000,
    trustedIssuers: [],
    auditRetentionMs: 34_560_000_000,
    otlpEndpoint: null,
    otlpHeaders: null,
    traceSampler: "parentbased_always_on",
    traceSampleRatio: 1,
    traceRelation: "link",
    eventRetentionMs: 604_800_000,
    eventLimit: 100_000_000,
    logLevel: "info",
    logFormat: "auto",
  });
});

test("a flag wins over the environment, which wins over the caller's default", () => {
  const env = { POSTDATE_PORT: "8001", POSTDATE_HOST: "::1" };
  const defaults = { host: "0.0.0.0", dataDir: "./elsewhere" };
  expect(settings({ flags: { "--port": "8002" }, env, defaults })).toMatchObject({
    port: 8002,
    host: "::1",
    dataDir: "./elsewhere",
  });
});

test("0 and false-looking values are values, not absences", () => {
  const env = {
    POSTDATE_PORT: "0",
    POSTDATE_CANCEL_WAIT: "0s",
    POSTDATE_MONTHLY_MESSAGE_LIMIT: "0",
  };
  expect(settings({ env })).toMatchObject({ port: 0, cancelWaitMs: 0, monthlyMessageLimit: 0 });
});

test("an empty variable counts as not set, an empty flag is a mistake", () => {
  expect(settings({ env: { POSTDATE_PORT: "", POSTDATE_PORT_FILE: "" } }).port).toBe(7070);
  expect(mistakes({ flags: { "--port": "" } })).toHaveLength(1);
});

test("any setting may come from a file, and its last line break is ignored", () => {
  const files: Record<string, string> = {
    "/run/root-key": "pd_0123456789abcdef\n",
    "/run/port": "8003\r\n",
    "/run/spaced": "pd_0123456789abcdef\n\n",
  };
  const readFile = (path: string): string => files[path]!;
  const env = { POSTDATE_ROOT_KEY_FILE: "/run/root-key", POSTDATE_PORT_FILE: "/run/port" };
  expect(settings({ env, readFile })).toMatchObject({ rootKey: "pd_0123456789abcdef", port: 8003 });
  expect(mistakes({ env: { POSTDATE_ROOT_KEY_FILE: "/run/spaced" }, readFile })).toHaveLength(1);
});

test("a variable and its file exclude each other, and the error names a missing file", () => {
  expect(mistakes({ env: { POSTDATE_PORT: "1", POSTDATE_PORT_FILE: "/run/port" } })).toEqual([
    "POSTDATE_PORT and POSTDATE_PORT_FILE are both set: keep one of them",
  ]);
  expect(mistakes({ env: { POSTDATE_PORT_FILE: "/run/port" } })[0]).toMatch(
    /^POSTDATE_PORT_FILE names a file that cannot be read: no such file: \/run\/port/,
  );
});

test("all mistakes are reported at once, each under the name that was used", () => {
  const found = mistakes({
    flags: {
      "--port": "70000",
      "--retention": "14",
      "--allow-cidr": ["10.0.0.0/8", "10.0.0.0/40"],
    },
    env: {
      POSTDATE_CANCEL_WAIT: "61s",
      POSTDATE_MAX_IN_FLIGHT: "0",
      POSTDATE_LOG_LEVEL: "loud",
      POSTDATE_DATABASE_URL: "mysql://localhost/postdate",
    },
  });
  expect(found.map((mistake) => mistake.split(" ")[0])).toEqual([
    "--port",
    "POSTDATE_DATABASE_URL",
    "--allow-cidr",
    "--retention",
    "POSTDATE_CANCEL_WAIT",
    "POSTDATE_MAX_IN_FLIGHT",
    "POSTDATE_LOG_LEVEL",
  ]);
});

test("a role other than `all` needs a shared database", () => {
  expect(mistakes({ flags: { "--role": "api" } })).toEqual([
    expect.stringContaining("--role must be all with the embedded store"),
  ]);
});

test("a database needs an encryption key, the same on all nodes", () => {
  const env = { POSTDATE_DATABASE_URL: "postgres://localhost/postdate" };
  expect(mistakes({ env })).toEqual([
    expect.stringContaining("POSTDATE_ENCRYPTION_KEY must be set"),
  ]);
  const both = { ...env, POSTDATE_ENCRYPTION_KEY: "ab".repeat(32) };
  expect(settings({ env: both }).databaseUrl).toBe(env.POSTDATE_DATABASE_URL);
});

test.each([
  ["postgres://a:5432,b:5432/postdate", /names several hosts/],
  ["postgres://user:se,cret@a,b/postdate", /names several hosts/],
  ["postgres://host:99999/postdate", /cannot be read as a URL/],
  ["host/postdate", /must be a URL that begins with postgres/],
])("%s is not the address of a database", (url, reason) => {
  const [mistake] = mistakes({ flags: { "--database-url": url } });
  expect(mistake).toMatch(reason);
  expect(mistake).not.toContain("cret");
});

test("a comma in a password is not a second host", () => {
  const databaseUrl = "postgres://user:se,cret@host/postdate?application_name=a,b";
  const env = { POSTDATE_DATABASE_URL: databaseUrl, POSTDATE_ENCRYPTION_KEY: "ab".repeat(32) };
  expect(settings({ env }).databaseUrl).toBe(databaseUrl);
});

test("address ranges come from repeated flags and comma-separated lists, bare addresses too", () => {
  const flags = { "--allow-cidr": ["10.0.0.0/8, 192.168.1.7", "fd00::/8", "::1"] };
  expect(settings({ flags }).allowCidrs).toEqual([
    "10.0.0.0/8",
    "192.168.1.7/32",
    "fd00::/8",
    "::1/128",
  ]);
  expect(settings({ env: { POSTDATE_ALLOW_CIDRS: "127.0.0.0/8,::1" } }).allowCidrs).toHaveLength(2);
});

test.each(["10.1", "localhost", "10.0.0.0/33", "300.0.0.1", "fd00::/129", "0x7f.0.0.1"])(
  "%s is not an address range",
  (range) => {
    expect(mistakes({ flags: { "--allow-cidr": [range] } })).toHaveLength(1);
  },
);

test("the encryption key is 32 bytes in hex or base64, and errors never repeat it", () => {
  const bytes = Buffer.alloc(32, 7);
  for (const encoding of ["hex", "base64", "base64url"] as const) {
    const env = { POSTDATE_ENCRYPTION_KEY: bytes.toString(encoding) };
    expect(Buffer.from(settings({ env }).encryptionKey!)).toEqual(bytes);
  }
  for (const wrong of [bytes.subarray(1).toString("hex"), bytes.toString("base64").slice(4), "x"]) {
    const [mistake] = mistakes({ env: { POSTDATE_ENCRYPTION_KEY: wrong } });
    expect(mistake).toContain("POSTDATE_ENCRYPTION_KEY must be 32 bytes");
    expect(mistake).not.toContain(`"${wrong}"`);
  }
});

test("the root key has a fixed form and no flag", () => {
  expect(mistakes({ env: { POSTDATE_ROOT_KEY: "pd_short" } })[0]).not.toContain("pd_short");
  expect(settings({ flags: { "--root-key": "pd_0123456789abcdef" } }).rootKey).toBeNull();
});

test("an unknown variable causes a warning that suggests the name that may be meant", () => {
  const env = {
    POSTDATE_PROT: "7070",
    POSTDATE_SOMETHING_ELSE_ENTIRELY: "1",
    POSTDATE_URL: "http://127.0.0.1:7070",
    POSTDATE_KEY: "pd_x",
    POSTDATE_WEBHOOK_SECRET: "whsec_x",
    POSTDATE_SERVICE_HOST: "10.0.0.1",
    PATH: "/bin",
  };
  expect(reading({ env }).warnings).toEqual([
    "POSTDATE_PROT is set, but nothing reads it. Did you mean POSTDATE_PORT?",
    "POSTDATE_SOMETHING_ELSE_ENTIRELY is set, but nothing reads it.",
  ]);
});

test("the error explains the port that Kubernetes sets for a service of this name", () => {
  expect(mistakes({ env: { POSTDATE_PORT: "tcp://10.0.0.1:7070" } })[0]).toContain("Kubernetes");
});

test("metrics have a separate port or none; an address alone is not enough", () => {
  expect(settings({ env: { POSTDATE_METRICS_PORT: "7071" } }).metricsPort).toBe(7071);
  expect(settings({})).toMatchObject({ metricsPort: null, metricsHost: null });
  expect(mistakes({ flags: { "--metrics-port": "7070" } })[0]).toContain("another than --port");
  const [mistake] = mistakes({ flags: { "--metrics-host": "127.0.0.1" } });
  expect(mistake).toContain("--metrics-host needs --metrics-port");
  const apart = { "--host": "10.0.0.1", "--metrics-host": "127.0.0.1", "--metrics-port": "7070" };
  expect(settings({ flags: apart }).metricsPort).toBe(7070);
});

test("a password on the command line causes a warning that does not repeat it", () => {
  const env = { POSTDATE_ENCRYPTION_KEY: "ab".repeat(32) };
  const warningsFor = (url: string) => reading({ env, flags: { "--database-url": url } }).warnings;
  const [warning, ...others] = warningsFor("postgres://postdate:hunter2@db/postdate");
  expect(warning).toMatch(/--database-url .*list of processes.*PGPASSWORD.*POSTDATE_DATABASE_URL/);
  expect(warning).not.toContain("hunter2");
  expect(others).toEqual([]);
  expect(warningsFor("postgres://db/postdate?password=hunter2")).toEqual([warning]);
  expect(warningsFor("postgres://postdate@db/postdate")).toEqual([]);
  const inVariable = { ...env, POSTDATE_DATABASE_URL: "postgres://postdate:hunter2@db/postdate" };
  expect(reading({ env: inVariable }).warnings).toEqual([]);
});

test("a root key cannot be both fixed and written to a file", () => {
  const env = {
    POSTDATE_ROOT_KEY: "pd_0123456789abcdef",
    POSTDATE_WRITE_ROOT_KEY: "/run/root-key",
  };
  expect(mistakes({ env })).toEqual([expect.stringContaining("exclude each other")]);
});
