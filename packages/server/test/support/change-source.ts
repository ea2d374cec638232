import { registerHooks } from "node:module";
import type { SeededBug } from "./seeded-bug.ts";

/** Preloaded into a server. Loads its files with the changes that `SEEDED_BUG` describes. */
const bugs = JSON.parse(process.env["SEEDED_BUG"]!) as readonly SeededBug[];

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const own = bugs.filter(({ file }) => url.endsWith(`/${file}`));
    if (own.length === 0) return loaded;
    let source = Buffer.from(loaded.source as Uint8Array).toString();
    for (const { file, from, to } of own) {
      if (!source.includes(from)) throw new Error(`${file} does not say: ${from}`);
      source = source.replace(from, () => to);
    }
    return { ...loaded, source };
  },
});
