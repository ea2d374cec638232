import { posix, relative, sep } from "node:path";
import type { Plugin } from "rolldown";

/**
 * Modules find threads and schema files beside themselves. In the built package, several modules share a file, and
 * this lets each look from where it would be if the built files lay as the source does.
 */
export function sourcePlaces(source: string): Plugin {
  return {
    name: "source-places",
    transform(code, id) {
      if (!id.startsWith(source) || !code.includes("import.meta.")) return undefined;
      const place = relative(source, id).replaceAll(sep, "/").replace(/\.ts$/, ".js");
      return code
        .replaceAll("import.meta.url", `"place:${place}"`)
        .replaceAll("import.meta.dirname", `"folder:${posix.dirname(place)}"`);
    },
    renderChunk(code, { fileName }) {
      const from = posix.dirname(fileName);
      return code
        .replaceAll(
          /"place:([\w/.-]+)"/g,
          (_, place: string) => `new URL("${posix.relative(from, place)}", import.meta.url).href`,
        )
        .replaceAll(
          /"folder:([\w/.-]+)"/g,
          (_, folder: string) => `(import.meta.dirname + "/${posix.relative(from, folder)}/")`,
        );
    },
  };
}
