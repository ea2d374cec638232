import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Schema from "typebox/schema";
import { describe, expect, test } from "vitest";
import { refusedValues, unknownFields } from "./support/check-manifests.ts";
import { installations } from "./support/installations.ts";
import * as charts from "./support/render-chart.ts";

const { chart, chartFolder, defaultValues, withValues } = charts;
const manifestsOf = (values: charts.Values, name?: string): charts.Manifest[] =>
  charts.manifestsIn(charts.renderChart(values, name));

const valuesSchema = JSON.parse(readFileSync(join(chartFolder, "values.schema.json"), "utf8"));
/** Helm checks the given values laid over the chart's. */
const isAllowed = (values: charts.Values): boolean =>
  Schema.Check(valuesSchema, withValues(values));

// oxlint-disable-next-line typescript/no-explicit-any
const workloadOf = (values: charts.Values): any =>
  manifestsOf(values).find(({ kind }) => kind === "StatefulSet" || kind === "Deployment");

describe.each(Object.entries(installations))("%s", (_name, values) => {
  test("the values are allowed, and Kubernetes knows every field and value of the manifests", async () => {
    expect(isAllowed(values)).toBe(true);
    const manifests = manifestsOf(values);
    expect(manifests.length).toBeGreaterThan(3);
    expect(refusedValues(manifests)).toEqual([]);
    expect(await unknownFields(manifests)).toEqual([]);
  });

  test("pods may do nothing that the service does not need, and get secrets as files alone", () => {
    const { spec } = workloadOf(values).spec.template;
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          },
        },
      ],
    });
    const [{ env, volumeMounts }] = spec.containers;
    for (const { name, value } of env.filter(({ name }: { name: string }) =>
      name.endsWith("_FILE"),
    )) {
      expect(value, name).toMatch(/^\/run\/secrets\/postdate\/./);
    }
    const names = env.map(({ name }: { name: string }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain("POSTDATE_ROOT_KEY_FILE");
    expect(names).toContain("POSTDATE_ENCRYPTION_KEY_FILE");
    const mounted = new Set(volumeMounts.map(({ name }: { name: string }) => name));
    const volumes = [...(spec.volumes ?? []), ...volumeClaimsOf(workloadOf(values))];
    expect(new Set(volumes.map(({ name }) => name))).toEqual(mounted);
    expect(JSON.stringify(manifestsOf(values))).not.toContain('"kind":"Secret"');
  });

  test("everything that selects pods selects those of this release", () => {
    const manifests = manifestsOf(values);
    const { labels } = workloadOf(values).spec.template.metadata;
    const selectors = manifests.flatMap(({ kind, spec }: charts.Manifest) => {
      // oxlint-disable-next-line typescript/no-explicit-any
      const given = spec as any;
      if (kind === "Service") return [given.selector];
      if (kind === "NetworkPolicy") return [given.podSelector.matchLabels];
      return kind === "ServiceMonitor" || given === undefined ? [] : [given.selector.matchLabels];
    });
    expect(selectors.length).toBeGreaterThan(2);
    for (const selector of selectors) {
      expect(Object.keys(selector)).toHaveLength(2);
      expect(labels).toMatchObject(selector);
    }
    const monitor = manifests.find(({ kind }) => kind === "ServiceMonitor");
    if (monitor !== undefined) {
      // oxlint-disable-next-line typescript/no-explicit-any
      const { matchLabels } = (monitor["spec"] as any).selector;
      const selected = manifests.filter(
        ({ kind, metadata }) =>
          kind === "Service" &&
          Object.entries(matchLabels).every(([label, value]) => metadata.labels[label] === value),
      );
      expect(selected.map(({ metadata }) => metadata.name)).toEqual([
        expect.stringMatching(/-pods$/),
      ]);
    }
  });

  test("names are names that Kubernetes allows", () => {
    for (const { metadata } of manifestsOf(values)) {
      expect(metadata.name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
      expect(metadata.name.length).toBeLessThanOrEqual(63);
    }
  });
});

// oxlint-disable-next-line typescript/no-explicit-any
function volumeClaimsOf(workload: any): { name: string }[] {
  const claims: { metadata: { name: string } }[] = workload.spec.volumeClaimTemplates ?? [];
  return claims.map(({ metadata }) => metadata);
}

test("the embedded store is one pod with a volume; nodes on PostgreSQL are equal and without one", () => {
  const embedded = workloadOf({ replicaCount: 5 });
  expect(embedded).toMatchObject({ kind: "StatefulSet", spec: { replicas: 1 } });
  expect(volumeClaimsOf(embedded)).toEqual([{ name: "data" }]);
  const shared = workloadOf({ store: "postgresql", replicaCount: 5 });
  expect(shared).toMatchObject({ kind: "Deployment", spec: { replicas: 5 } });
  expect(shared.spec.template.spec.volumes.map(({ name }: { name: string }) => name)).toEqual([
    "secrets",
    "tmp",
  ]);
});

test("a budget for disruptions is there only if it leaves a pod that may go", () => {
  const budgets = (values: charts.Values): number =>
    manifestsOf(values).filter(({ kind }) => kind === "PodDisruptionBudget").length;
  expect(budgets({})).toBe(0);
  expect(budgets({ store: "postgresql", replicaCount: 1 })).toBe(0);
  expect(budgets({ store: "postgresql", replicaCount: 2 })).toBe(1);
});

test.each<[string, charts.Values]>([
  ["a misspelt setting", { settings: { POSTDATE_RETENSION: "14d" } }],
  ["a secret among the settings", { settings: { POSTDATE_ROOT_KEY: "pd_0123456789abcdef" } }],
  ["what the chart sets itself", { settings: { POSTDATE_PORT: "8080" } }],
  ["a number that Helm would write as 1e+06", { settings: { POSTDATE_MAX_REQUESTS: 1_000_000 } }],
  ["a duration without a unit", { settings: { POSTDATE_RETENTION: "14" } }],
  ["a setting by another way", { extraEnv: [{ name: "POSTDATE_ROOT_KEY", value: "pd_x" }] }],
  ["an unknown role", { store: "postgresql", settings: { POSTDATE_ROLE: "api,dispatch" } }],
  ["a role on the embedded store", { settings: { POSTDATE_ROLE: "dispatch" } }],
  ["an unknown store", { store: "mysql" }],
  [
    "PostgreSQL without its address",
    { store: "postgresql", secrets: { keys: { databaseUrl: "" } } },
  ],
  ["no Secret", { secrets: { existingSecret: "" } }],
  ["half a digest", { image: { digest: "sha256:0123" } }],
  ["a volume that several nodes write to", { persistence: { accessModes: ["ReadWriteMany"] } }],
  ["a misspelt value", { replicas: 3 }],
])("%s is refused before anything is installed", (_what, values) => {
  expect(isAllowed(values)).toBe(false);
});

test("every value that the schema allows is in values.yaml, and the other way round", () => {
  const allowed = Object.keys(valuesSchema.properties).filter((name) => name !== "global");
  expect(Object.keys(defaultValues).toSorted()).toEqual(allowed.toSorted());
});

test("the chart has the version of the package", () => {
  const path = join(import.meta.dirname, "../../package.json");
  const { version, license, description } = JSON.parse(readFileSync(path, "utf8"));
  expect(chart).toMatchObject({ version, appVersion: version, description });
  expect(chart["annotations"]).toEqual({ licenses: license });
});

test("a check would notice a misspelt field, a wrong type and a value that is missing", async () => {
  const service = manifestsOf({}).find(({ kind }) => kind === "Service")!;
  // oxlint-disable-next-line typescript/no-explicit-any
  const [misspelt, wrong, missing]: any[] = [service, service, service].map((one) =>
    structuredClone(one),
  );
  misspelt.spec.selecter = {};
  wrong.spec.ports[0].port = "http";
  delete missing.spec.ports[0].port;
  expect(await unknownFields([service, misspelt, wrong])).toEqual([
    expect.stringMatching("selecter"),
    expect.stringMatching("not assignable to type 'number'"),
  ]);
  expect(refusedValues([service, wrong, missing])).toEqual([
    expect.stringMatching("port must be integer"),
    expect.stringMatching("must have required property port"),
  ]);
});

const hasGo = spawnSync("go", ["version"]).status === 0;
const program = join(import.meta.dirname, "support/render-chart.go");

/** Where Go is not installed, the tests above rely on this project's own reading of the templates. */
describe.runIf(hasGo)("Go's text/template", () => {
  test.each(Object.entries(installations))("renders the same: %s", (_name, values) => {
    const input = JSON.stringify({
      folder: chartFolder,
      data: charts.templateData(values, "shop"),
    });
    const env = { ...process.env, GO111MODULE: "off" };
    const rendered = execFileSync("go", ["run", program], { input, env, encoding: "utf8" });
    const texts = new Map(Object.entries<string>(JSON.parse(rendered)));
    const ours = charts.renderChart(values, "shop");
    expect([...texts.keys()].toSorted()).toEqual([...ours.keys()].toSorted());
    expect(charts.manifestsIn(texts)).toEqual(charts.manifestsIn(ours));
    expect(texts.get("templates/NOTES.txt")).toBe(ours.get("templates/NOTES.txt"));
  });
});
