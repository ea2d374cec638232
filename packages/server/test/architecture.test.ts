import { globSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { describe, expect, test } from "vitest";

const adapterOfStorage = [
  "storage/port",
  "storage/transfer",
  "storage/conformance",
  "domain",
  "platform",
];

/**
 * Who may import whom. A part is a folder of `src`, or one port in it; adapters are the folders below a
 * port. What is not listed is not allowed.
 */
const mayImport: Record<string, readonly string[]> = {
  domain: [],
  platform: [],
  "storage/port": ["domain"],
  "storage/conformance": ["storage/port", "domain"],
  "storage/transfer": ["storage/port", "domain"],
  "storage/sqlite": adapterOfStorage,
  "storage/postgres": adapterOfStorage,
  "targets/port": ["domain", "platform"],
  "targets/conformance": ["targets/port", "domain", "platform"],
  "targets/network": ["domain", "platform"],
  "targets/a kind": [
    "targets/port",
    "targets/network",
    "targets/conformance",
    "domain",
    "platform",
  ],
  "targets/kinds": ["targets/port", "targets/network", "targets/a kind", "domain", "platform"],
  "tokens/port": ["domain"],
  "tokens/jwt": ["tokens/port", "storage/port", "domain", "platform"],
  operations: ["domain", "platform", "storage/port", "targets/port", "tokens/port"],
  engine: ["domain", "platform", "storage/port", "targets/port"],
  config: ["domain", "platform"],
  http: ["operations", "contract", "config", "domain", "platform"],
  cli: ["operations", "contract", "config", "domain", "platform"],
};

interface SourceFile {
  /** Relative to `src`, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

function partOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  if (!["storage", "targets", "tokens"].includes(first)) return first;
  // The list of kinds joins them; the port knows none.
  if (path === "targets/kinds.ts") return "targets/kinds";
  return second.endsWith(".ts") ? `${first}/port` : `${first}/${second}`;
}

/** Every folder of `targets/` that is not named above is a kind: a further one needs no line here. */
function isKind(part: string): boolean {
  return part.startsWith("targets/") && mayImport[part] === undefined;
}

function importsOf({ path, text }: SourceFile): string[] {
  const specifiers = [
    ...text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^;"']*?\bfrom\s*["']([^"']+)["']/g),
    ...text.matchAll(/(?:^|\n)\s*import\s*["']([^"']+)["']/g),
    ...text.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)/g),
  ].map((match) => match[1]!);
  return specifiers.flatMap((specifier) => {
    if (specifier === "@postdate/contract") return ["contract"];
    if (!specifier.startsWith(".") || specifier.endsWith("/package.json")) return [];
    return [partOf(join(dirname(path), specifier).split(sep).join("/"))];
  });
}

function violations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const part = partOf(file.path);
    // The composition root joins everything; what tests are made of may too.
    if (part === "app" || file.path.startsWith("http/testing/")) return [];
    const allowed = mayImport[part] ?? (isKind(part) ? mayImport["targets/a kind"] : undefined);
    if (allowed === undefined) return [`${file.path} is in no known part`];
    return importsOf(file)
      .filter((imported) => imported !== part && !allowed.includes(imported))
      .filter((imported) => !(isKind(imported) && allowed.includes("targets/a kind")))
      .map((imported) => `${file.path} (${part}) imports ${imported}`);
  });
}

/** Time and chance come through platform/, or nothing could be simulated. */
const strayCalls =
  /\b(?:Date\.now|Math\.random|setTimeout|setInterval|randomUUID)\(|\bnew Date\(\)/;

function strays(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => !path.startsWith("platform/") && strayCalls.test(text))
    .map(({ path }) => path);
}

const src = join(import.meta.dirname, "../src");
const sources = globSync("**/*.ts", { cwd: src }).map((path) => ({
  path: path.split(sep).join("/"),
  text: readFileSync(join(src, path), "utf8"),
}));
const production = sources.filter(
  ({ path }) => !path.endsWith(".test.ts") && !/\/(conformance|testing)\//.test(path),
);

describe("architecture", () => {
  test("there is something to look at", () => {
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.flatMap(importsOf).length).toBeGreaterThan(100);
  });

  test("every part imports only what it may", () => {
    expect(violations(sources)).toEqual([]);
  });

  test("time and chance come through platform/ alone", () => {
    expect(strays(production)).toEqual([]);
  });

  test("no folder or file is a drawer for everything", () => {
    const drawers = /(?:^|\/)(?:utils?|common|shared|helpers?|types|misc)(?:\/|\.ts$)/;
    expect(sources.map(({ path }) => path).filter((path) => drawers.test(path))).toEqual([]);
  });

  test("planted violations are caught", () => {
    const planted = [
      { path: "domain/x.ts", text: 'import { a } from "../storage/store.ts";' },
      { path: "engine/x.ts", text: 'import {\n  a,\n  b,\n} from "../storage/sqlite/verbs.ts";' },
      { path: "http/x.ts", text: 'export { a } from "../app/compose.ts";' },
      { path: "storage/sqlite/queries/x.ts", text: 'import "../../../targets/webhook/a.ts";' },
      { path: "operations/x.ts", text: 'await import("../http/y.ts");' },
      { path: "operations/y.ts", text: 'import { a } from "../targets/webhook/a.ts";' },
      { path: "engine/y.ts", text: 'import { a } from "../targets/kinds.ts";' },
      { path: "targets/target-kind.ts", text: 'import { a } from "./webhook/a.ts";' },
      { path: "targets/queue/x.ts", text: 'import { a } from "../webhook/a.ts";' },
      { path: "targets/network/x.ts", text: 'import { a } from "../target-kind.ts";' },
      { path: "domain/y.ts", text: 'import type { A } from "@postdate/contract";' },
      { path: "elsewhere/x.ts", text: "" },
    ];
    expect(violations(planted).map((each) => each.split(" ")[0])).toEqual(
      planted.map(({ path }) => path),
    );
    const fine = [
      { path: "engine/y.ts", text: 'import { a } from "../domain/message.ts";' },
      { path: "targets/queue/y.ts", text: 'import { a } from "../network/network.ts";' },
      { path: "targets/kinds.ts", text: 'import { a } from "./queue/y.ts";' },
    ];
    expect(violations(fine)).toEqual([]);
    expect(strays([{ path: "engine/z.ts", text: "const now = Date.now();" }])).toHaveLength(1);
  });
});
