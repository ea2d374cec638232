import { accessSync, constants } from "node:fs";
import { join } from "node:path";

export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

/** The programs of the system; undefined: it has none. */
export function installedPrometheus(): PrometheusPrograms | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/bin"];
  const [prometheus, promtool] = ["prometheus", "promtool"].map((name) =>
    folders.map((folder) => join(folder, name)).find(isExecutable),
  );
  return prometheus === undefined || promtool === undefined ? undefined : { prometheus, promtool };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
