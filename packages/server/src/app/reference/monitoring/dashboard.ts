import type { Panel, Row } from "./panel.ts";
import { rows } from "./rows.ts";

/** Grafana's grid has 24 columns. */
const columns = 24;
const sizes = { stat: { w: 4, h: 4 }, timeseries: { w: 8, h: 8 } } as const;
const datasource = { type: "prometheus", uid: "${datasource}" };

/** The choices at the head of the dashboard. Each `query` asks Prometheus for the values of a label. */
export const choices = [
  { name: "job", query: "label_values(postdate_build_info, job)", multi: false },
  {
    name: "instance",
    query: 'label_values(postdate_build_info{job="$job"}, instance)',
    multi: true,
  },
] as const;

/** `deploy/grafana/postdate.json`, to be imported into Grafana. */
export function dashboard(): string {
  const model = {
    uid: "postdate",
    title: "Postdate",
    tags: ["postdate"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    timezone: "browser",
    templating: { list: [datasourceChoice, ...choices.map(choice)] },
    panels: layOut(rows),
  };
  return `${JSON.stringify(model, null, 2)}\n`;
}

const datasourceChoice = {
  name: "datasource",
  label: "Data source",
  type: "datasource",
  query: "prometheus",
};

function choice({ name, query, multi }: (typeof choices)[number]) {
  return {
    ...{ name, label: name, type: "query", datasource, definition: query },
    query: { query, refId: name },
    refresh: 2,
    sort: 1,
    ...(multi && {
      multi,
      includeAll: true,
      allValue: ".+",
      current: { text: "All", value: "$__all" },
    }),
  };
}

/** A row of the dashboard has a head and, below it, its panels from left to right. */
function layOut(all: readonly Row[]): object[] {
  const placed: object[] = [];
  let y = 0;
  for (const { title, panels } of all) {
    placed.push({
      id: placed.length + 1,
      type: "row",
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: columns, h: 1 },
    });
    y++;
    let x = 0;
    let height = 0;
    for (const panel of panels) {
      const { w, h } = sizes[panel.kind];
      if (x + w > columns) {
        y += height;
        x = 0;
      }
      placed.push(view(panel, placed.length + 1, { x, y, w, h }));
      x += w;
      height = h;
    }
    y += height;
  }
  return placed;
}

function view({ title, description, kind, unit, queries }: Panel, id: number, gridPos: object) {
  return {
    ...{ id, type: kind, title, ...(description !== undefined && { description }) },
    ...{ datasource, gridPos },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    ...(kind === "stat" && {
      options: { reduceOptions: { calcs: ["lastNotNull"] }, colorMode: "none", graphMode: "area" },
    }),
    targets: queries.map(({ expr, legend }, index) => ({
      ...{ refId: String.fromCodePoint(65 + index), datasource, expr, legendFormat: legend },
    })),
  };
}
