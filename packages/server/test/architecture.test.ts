import { globSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { describe, expect, test } from "vitest";

const adapterOfStorage = [
  "storage/port",
  "storage/transfer",
  "storage/event-log",
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
  "storage/event-log": ["domain", "platform"],
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
  cli: ["operations", "contract", "client", "config", "domain", "platform"],
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

/** The list of kinds stands beside the port, and joins the folders below it. */
function folderOf(path: string): string {
  return path === "targets/kinds.ts" ? partOf(path) : dirname(path);
}

/** Every folder of `targets/` that is not named above is a kind: a further one needs no line here. */
function isKind(part: string): boolean {
  return part.startsWith("targets/") && mayImport[part] === undefined;
}

/** What a file imports: paths relative to `src`, or the name of another package of ours. */
function importsOf({ path, text }: SourceFile): string[] {
  const specifiers = [
    ...text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^;"']*?\bfrom\s*["']([^"']+)["']/g),
    ...text.matchAll(/(?:^|\n)\s*import\s*["']([^"']+)["']/g),
    ...text.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)/g),
  ].map((match) => match[1]!);
  return specifiers.flatMap((specifier) => {
    if (/^@postdate\/(?:contract|client)$/.test(specifier)) return [specifier.split("/")[1]!];
    if (!specifier.startsWith(".") || specifier.endsWith("/package.json")) return [];
    return [join(dirname(path), specifier).split(sep).join("/")];
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
      .map(partOf)
      .filter((imported) => imported !== part && !allowed.includes(imported))
      .filter((imported) => !(isKind(imported) && allowed.includes("targets/a kind")))
      .map((imported) => `${file.path} (${part}) imports ${imported}`);
  });
}

/** Groups of files, or of what `nodeOf` makes of their paths, that import each other in a circle. */
function circles(files: readonly SourceFile[], nodeOf = (path: string): string => path): string[] {
  const imports = new Map<string, Set<string>>();
  for (const file of files) {
    const node = nodeOf(file.path);
    const imported = imports.get(node) ?? new Set<string>();
    imports.set(node, imported);
    for (const path of importsOf(file)) if (nodeOf(path) !== node) imported.add(nodeOf(path));
  }
  const reached = new Map<string, ReadonlySet<string>>();
  for (const node of imports.keys()) {
    const found = new Set(imports.get(node));
    for (const each of found) for (const next of imports.get(each) ?? []) found.add(next);
    reached.set(node, found);
  }
  const groups = [...reached].map(([node, found]) =>
    [...found].filter((other) => reached.get(other)?.has(node)).toSorted(),
  );
  return [...new Set(groups.map((group) => group.join(" ")))].filter((group) => group !== "");
}

/** Time and chance come through platform/, or nothing could be simulated. */
const strayCalls =
  /\b(?:Date\.now|Math\.random|setTimeout|setInterval|randomUUID)\(|\bnew Date\(\)/;

function strays(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => !path.startsWith("platform/") && strayCalls.test(text))
    .map(({ path }) => path);
}

/** The wire values of error codes stand where they get their names, and nowhere else. */
const namesOfCodes = new Set(["domain/refusals.ts", "contract/error-codes.ts"]);

function strayCodes(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => !namesOfCodes.has(path) && /E-DI-\d/.test(text))
    .map(({ path }) => path);
}

const src = join(import.meta.dirname, "../src");
const contractSrc = join(import.meta.dirname, "../../contract/src");

function readSources(folder: string): SourceFile[] {
  return globSync("**/*.ts", { cwd: folder }).map((path) => ({
    path: path.split(sep).join("/"),
    text: readFileSync(join(folder, path), "utf8"),
  }));
}

function isProduction({ path }: SourceFile): boolean {
  return !path.endsWith(".test.ts") && !/\/(conformance|testing)\//.test(path);
}

const sources = readSources(src);
const production = sources.filter(isProduction);
const contract = readSources(contractSrc)
  .filter(isProduction)
  .map(({ path, text }) => ({ path: `contract/${path}`, text }));

describe("architecture", () => {
  test("there is something to look at", () => {
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.flatMap(importsOf).length).toBeGreaterThan(100);
  });

  test("every part imports only what it may", () => {
    expect(violations(sources)).toEqual([]);
  });

  test("no files import each other in a circle", () => {
    expect(circles(sources)).toEqual([]);
  });

  test("no parts, and no folders of a part, import each other in a circle", () => {
    expect(circles(production, partOf)).toEqual([]);
    expect(circles(production, folderOf)).toEqual([]);
  });

  test("a planted circle is caught, of files, of types alone, and of folders", () => {
    const one = { path: "engine/a/one.ts", text: 'import { two } from "../b/two.ts";' };
    const two = { path: "engine/b/two.ts", text: 'import type { Three } from "../c/three.ts";' };
    const three = { path: "engine/c/three.ts", text: 'import type { One } from "../a/one.ts";' };
    const four = { path: "engine/c/four.ts", text: 'export * from "../a/one.ts";' };
    const five = { path: "engine/d/five.ts", text: 'import { one } from "../a/one.ts";' };
    const files = "engine/a/one.ts engine/b/two.ts engine/c/three.ts";
    expect(circles([one, two, three, five])).toEqual([files]);
    const apart = [one, two, { ...three, text: "" }, four, five];
    expect(circles(apart)).toEqual([]);
    expect(circles(apart, dirname)).toEqual(["engine/a engine/b engine/c"]);
  });

  test("time and chance come through platform/ alone", () => {
    expect(strays(production)).toEqual([]);
  });

  test("error codes are named, not spelled out", () => {
    expect(contract.length).toBeGreaterThan(10);
    expect(strayCodes([...production, ...contract])).toEqual([]);
  });

  test("a server does not load the client: one file does, at a command's first call", () => {
    const loads = /(?:^|\n)(?:import|export) (?!type )[^;]*from "@postdate\/client"/;
    const loading = production.filter(({ text }) => loads.test(text)).map(({ path }) => path);
    expect(loading).toEqual(["cli/connection/client.ts"]);
    const importing = production.filter(({ text }) => /"\.\/client\.ts"/.test(text));
    for (const { text } of importing) {
      expect(text).not.toMatch(/import (?!type )[^;]*from "\.\/client\.ts"/);
    }
  });

  test("no folder or file is a drawer for everything", () => {
    const drawers = /(?:^|\/)(?:utils?|common|shared|helpers?|types|misc)(?:\/|\.ts$)/;
    expect(sources.map(({ path }) => path).filter((path) => drawers.test(path))).toEqual([]);
  });

  test("planted violations are caught", () => {
    const planted = [
      { path: "domain/x.ts", text: 'import { a } from "../storage/store.ts";' },
      {
        path: "engine/x.ts",
        text: 'import {\n  a,\n  b,\n} from "../storage/sqlite/thread/verbs.ts";',
      },
      { path: "http/x.ts", text: 'export { a } from "../app/compose.ts";' },
      { path: "storage/sqlite/queries/x.ts", text: 'import "../../../targets/webhook/a.ts";' },
      { path: "operations/x.ts", text: 'await import("../http/y.ts");' },
      { path: "operations/y.ts", text: 'import { a } from "../targets/webhook/a.ts";' },
      { path: "engine/y.ts", text: 'import { a } from "../targets/kinds.ts";' },
      { path: "targets/target-kind.ts", text: 'import { a } from "./webhook/a.ts";' },
      { path: "targets/queue/x.ts", text: 'import { a } from "../webhook/a.ts";' },
      { path: "targets/network/x.ts", text: 'import { a } from "../target-kind.ts";' },
      { path: "domain/y.ts", text: 'import type { A } from "@postdate/contract";' },
      { path: "http/y.ts", text: 'import { Postdate } from "@postdate/client";' },
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
    expect(strayCodes([{ path: "http/x.ts", text: 'code: "E-DI-1001"' }])).toHaveLength(1);
  });
});
