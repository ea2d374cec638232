import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { StatefulSet } from "kubernetes-models/apps/v1/StatefulSet";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { Service } from "kubernetes-models/v1/Service";
import { ServiceAccount } from "kubernetes-models/v1/ServiceAccount";
import type { Manifest } from "./render-chart.ts";

const root = join(import.meta.dirname, "../../../../..");

interface Model {
  new (data: never): { validate(): void };
  readonly apiVersion: string;
  readonly kind: string;
}

const models = new Map<Model, string>([
  [Deployment, "kubernetes-models/apps/v1/Deployment"],
  [NetworkPolicy, "kubernetes-models/networking.k8s.io/v1/NetworkPolicy"],
  [PodDisruptionBudget, "kubernetes-models/policy/v1/PodDisruptionBudget"],
  [Service, "kubernetes-models/v1/Service"],
  [ServiceAccount, "kubernetes-models/v1/ServiceAccount"],
  [
    ServiceMonitor,
    "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor",
  ],
  [StatefulSet, "kubernetes-models/apps/v1/StatefulSet"],
]);

function modelOf({ apiVersion, kind }: Manifest): Model {
  const model = [...models.keys()].find(
    (candidate) => candidate.apiVersion === apiVersion && candidate.kind === kind,
  );
  if (model === undefined) throw new Error(`no schema for ${kind} of ${apiVersion}`);
  return model;
}

/** What Kubernetes' own schemas refuse: wrong types and values, and fields that are missing. */
export function refusedValues(manifests: readonly Manifest[]): string[] {
  return manifests.flatMap((manifest) => {
    const Model = modelOf(manifest);
    try {
      new Model(manifest as never).validate();
      return [];
    } catch (error) {
      return [`${manifest.kind} ${manifest.metadata.name}: ${String(error)}`];
    }
  });
}

/**
 * Fields that Kubernetes does not know. Its schemas let them pass, so a misspelt field would be ignored.
 * The types made from the same schemas refuse them, where the compiler sees them written out.
 */
export async function unknownFields(manifests: readonly Manifest[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "postdate-manifests-"));
  try {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    const lines = manifests.map((manifest, place) => {
      const { kind } = manifest;
      const path = models.get(modelOf(manifest))!;
      return `import type { I${kind} as I${place} } from "${path}";\nexport const m${place}: I${place} = ${JSON.stringify(manifest, null, 1)};`;
    });
    writeFileSync(join(folder, "manifests.ts"), lines.join("\n"));
    const flags = [
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--target",
      "es2024",
      "--pretty",
      "false",
    ];
    const modules = ["--module", "nodenext", "--moduleResolution", "nodenext", "--types", ""];
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const args = [compiler, ...flags, ...modules, "manifests.ts"];
    const said = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, args, { cwd: folder }, (error, stdout, stderr) => {
        if (error !== null && typeof error.code !== "number") reject(error);
        else resolve(error === null ? "" : stdout + stderr || `tsc ended with ${error.code}`);
      });
    });
    return said.split("\n").filter((line) => line !== "");
  } finally {
    rmSync(folder, { recursive: true });
  }
}
