import { fileTrouble } from "./file-trouble.ts";
import { InvalidValue } from "./invalid-value.ts";

export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads the file for `<NAME>_FILE`. Throws if it cannot be read. */
  readonly readFile: (path: string) => string;
}

export interface Variable {
  /** The variable that an error about the text names. */
  readonly source: string;
  text(): string;
}

/**
 * Finds a variable, or the file that its `_FILE` twin names. An empty variable counts as not set,
 * because composed environments leave a variable out that way. Throws `InvalidValue` if both are set.
 */
export function findVariable(name: string, { env, readFile }: Environment): Variable | undefined {
  const direct = env[name] || undefined;
  const path = env[`${name}_FILE`] || undefined;
  if (direct !== undefined && path !== undefined) {
    throw new InvalidValue(`${name} and ${name}_FILE are both set: keep one of them`);
  }
  if (direct !== undefined) return { source: name, text: () => direct };
  if (path === undefined) return undefined;
  return { source: `${name}_FILE`, text: () => readValue(`${name}_FILE`, path, readFile) };
}

function readValue(source: string, path: string, readFile: (path: string) => string): string {
  try {
    return readFile(path).replace(/\r?\n$/, "");
  } catch (error) {
    throw new InvalidValue(
      `${source} names a file that cannot be read: ${fileTrouble(error)} (${path})`,
    );
  }
}
