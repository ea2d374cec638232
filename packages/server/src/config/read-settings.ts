import { findVariable, type Environment } from "./environment.ts";
import { InvalidValue } from "./invalid-value.ts";
import { schema, settingNames, type Setting } from "./schema.ts";
import type { Settings } from "./settings.ts";
import { shownPassword } from "./shown-passwords.ts";
import { unknownVariables } from "./unknown-variables.ts";

export interface SettingsSources extends Environment {
  /** The values of the command line, by flag: `{ "--port": "8080" }`; repeatable flags as a list. */
  readonly flags: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Replaces defaults of the schema. */
  readonly defaults?: Partial<Settings>;
}

export type SettingsReading = { readonly warnings: readonly string[] } & (
  | { readonly kind: "settings"; readonly settings: Settings }
  /** All mistakes, one sentence each. */
  | { readonly kind: "mistakes"; readonly mistakes: readonly string[] }
);

/** Reads every setting. A flag overrides the environment, and the environment overrides the default. */
export function readSettings(sources: SettingsSources): SettingsReading {
  const { values, mistakes } = readSome(settingNames, sources);
  const shown = shownPassword("--database-url", sources.flags["--database-url"]);
  const warnings = [...unknownVariables(sources.env), ...(shown === undefined ? [] : [shown])];
  if (values.databaseUrl === null && values.role !== undefined && values.role !== "all") {
    mistakes.push(
      "--role must be all with the embedded store: there are no other nodes to do the rest; " +
        "set a database URL, or leave the role out",
    );
  }
  if (values.databaseUrl && values.encryptionKey === null) {
    mistakes.push(
      "POSTDATE_ENCRYPTION_KEY must be set with a database URL, to the same value on every node; " +
        "`openssl rand -hex 32` makes one",
    );
  }
  const { port, metricsPort, metricsHost } = values;
  if (typeof metricsHost === "string" && metricsPort === null) {
    mistakes.push("--metrics-host needs --metrics-port: without it metrics have no listener");
  }
  const ownHost = typeof metricsHost === "string" && metricsHost !== values.host;
  if (typeof metricsPort === "number" && metricsPort === port && port !== 0 && !ownHost) {
    mistakes.push(
      "--metrics-port must be another than --port; leave it out to have `/metrics` there",
    );
  }
  if (values.rootKey && values.writeRootKey) {
    mistakes.push(
      "POSTDATE_ROOT_KEY and --write-root-key exclude each other: only a key that the server generates is written; keep one of them",
    );
  }
  if (mistakes.length > 0) return { kind: "mistakes", mistakes, warnings };
  return { kind: "settings", settings: values as unknown as Settings, warnings };
}

/** For commands that need a few settings. The others may be missing or wrong. */
export function readSome<Name extends keyof Settings>(
  names: readonly Name[],
  sources: SettingsSources,
): { readonly values: Partial<Pick<Settings, Name>>; readonly mistakes: string[] } {
  const mistakes: string[] = [];
  const values: Partial<Record<keyof Settings, unknown>> = {};
  for (const name of names) {
    try {
      values[name] = readSetting(schema[name], sources) ?? defaultOf(name, sources.defaults);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      mistakes.push(error.message);
    }
  }
  return { values: values as Partial<Pick<Settings, Name>>, mistakes };
}

function defaultOf<Name extends keyof Settings>(
  name: Name,
  defaults: Partial<Settings> = {},
): Settings[Name] {
  return defaults[name] ?? schema[name].default;
}

/** The value that was set, or undefined. */
function readSetting(setting: Setting<unknown>, sources: SettingsSources): unknown {
  const variable = findVariable(setting.env, sources);
  if (setting.flag !== null) {
    const given = sources.flags[setting.flag];
    if (given !== undefined) return read(setting, setting.flag, [given].flat().join(","));
  }
  if (variable === undefined) return undefined;
  return read(setting, variable.source, variable.text());
}

function read(setting: Setting<unknown>, source: string, text: string): unknown {
  try {
    return setting.kind.read(text);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new InvalidValue(`${source} ${error.message}${serviceLinkHint(source, text)}`);
  }
}

/** Kubernetes sets this variable in every pod beside a service named "postdate". */
function serviceLinkHint(source: string, text: string): string {
  if (source !== "POSTDATE_PORT" || !text.startsWith("tcp://")) return "";
  return ". Kubernetes set it for a service named postdate: rename the service, or set enableServiceLinks to false";
}
