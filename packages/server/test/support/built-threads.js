import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";

/**
 * Preloaded into the processes that run tests: the threads of their stores start from the built package. It is
 * JavaScript, because each thread reads it first.
 */
const built = process.env["POSTDATE_BUILT_FOR_TESTS"];
const threadInSource = /\/server\/src\/(storage\/sqlite\/(?:thread|reading)\/[\w-]+-thread)\.ts$/;

if (!isMainThread && built !== undefined) {
  registerHooks({
    resolve(specifier, context, next) {
      const [, thread] = threadInSource.exec(specifier) ?? [];
      if (thread === undefined) return next(specifier, context);
      return { url: pathToFileURL(join(built, "dist", `${thread}.js`)).href, shortCircuit: true };
    },
  });
}
