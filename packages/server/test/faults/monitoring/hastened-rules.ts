import { readFile, writeFile } from "node:fs/promises";

/** Writes rules that look back over half a minute and wait for two seconds, in place of minutes. Their limits stay. */
export async function hastenRules(rules: string, hastened: string): Promise<void> {
  const shipped = await readFile(rules, "utf8");
  const text = shipped
    .replaceAll(/\[\d+m\]/g, "[30s]")
    .replaceAll(/ offset \d+m/g, " offset 30s")
    .replaceAll(/^( *for:) (?:\d+m|30s)$/gm, "$1 2s");
  await writeFile(hastened, text);
}
