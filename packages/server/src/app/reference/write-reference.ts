import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configurationReference } from "../../config/configuration-reference.ts";
import { apiDocument } from "./api-document.ts";
import { withChartSettings } from "./chart-settings.ts";
import { withDaylightSavingTable } from "./daylight-saving.ts";
import { withLogTable } from "./log-table.ts";
import { metricsReference } from "./metrics-reference.ts";
import { monitoringFiles } from "./monitoring/monitoring-files.ts";
import { version } from "../version.ts";

/** Writes all committed files that are made from the code: `npm run docs:reference`. */
const root = join(import.meta.dirname, "../../../../..");
writeFileSync(join(root, "docs/reference/configuration.md"), configurationReference());
writeFileSync(join(root, "docs/reference/metrics.md"), await metricsReference());
writeFileSync(join(root, "packages/contract/openapi.json"), await apiDocument(version));
for (const [path, text] of monitoringFiles()) writeFileSync(join(root, path), text);
const guide = join(root, "docs/guides/recurring-schedules.md");
writeFileSync(guide, withDaylightSavingTable(readFileSync(guide, "utf8")));
const monitoring = join(root, "docs/operations/monitoring.md");
writeFileSync(monitoring, withLogTable(readFileSync(monitoring, "utf8")));
const values = join(root, "deploy/helm/postdate/values.schema.json");
writeFileSync(values, withChartSettings(readFileSync(values, "utf8")));
