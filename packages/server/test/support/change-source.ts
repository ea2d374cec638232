import { registerHooks } from "node:module";
import type { SeededBug } from "./seeded-bug.ts";

/** Preloaded into a server. Loads one of its files with the change that `SEEDED_BUG` describes. */
const { file, from, to } = JSON.parse(process.env["SEEDED_BUG"]!) as SeededBug;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith(`/${file}`)) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array).toString();
    if (!source.includes(from)) throw new Error(`${file} does not say: ${from}`);
    return { ...loaded, source: source.replace(from, () => to) };
  },
});
