import { schema, settingNames } from "../../config/schema.ts";

/** What the chart sets itself: addresses, ports and folders are the same in every pod. */
const setByTheChart: ReadonlySet<string> = new Set([
  "POSTDATE_HOST",
  "POSTDATE_PORT",
  "POSTDATE_METRICS_HOST",
  "POSTDATE_METRICS_PORT",
  "POSTDATE_DATA_DIR",
  "POSTDATE_LOG_FORMAT",
  // The chart mounts the root key. A file that the pod writes would end with it.
  "POSTDATE_WRITE_ROOT_KEY",
]);

/** Helm reads unquoted numbers as floating-point: a million would become "1e+06". */
const patterns: Readonly<Record<string, string>> = {
  number: "^[0-9]+$",
  duration: "^(0|([0-9]+([.][0-9]+)?(w|d|h|ms|m|s))+)$",
};

interface Described {
  readonly type: "string";
  readonly description: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
}

/** The settings that an installation of the chart may set, as properties of a JSON schema. */
export function chartSettings(): Readonly<Record<string, Described>> {
  const settings = settingNames
    .map((name) => schema[name])
    .filter(({ env, secret }) => !secret && !setByTheChart.has(env));
  return Object.fromEntries(
    settings.map(({ env, description, defaultText, kind }) => {
      const { choices, placeholder } = kind;
      const described: Described = {
        type: "string",
        description: `${description} Default: ${defaultText}.`,
        ...(choices !== undefined && { enum: choices }),
        ...(patterns[placeholder] !== undefined && { pattern: patterns[placeholder] }),
      };
      return [env, described];
    }),
  );
}

interface ValuesSchema {
  readonly properties: { readonly settings: { properties: unknown } };
}

/** The text of the chart's `values.schema.json`, with today's settings in it. */
export function withChartSettings(text: string): string {
  const values: ValuesSchema = JSON.parse(text);
  values.properties.settings.properties = chartSettings();
  return `${JSON.stringify(values, null, 2)}\n`;
}
