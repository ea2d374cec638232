import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { prepareAnswer, type PreparedAnswer } from "../wire/prepared-answer.ts";

/** The console as its package built it, in memory: about 2 MB that never change. */
export interface BuiltConsole {
  /** The HTML of the page, with gaps: see `fillPage`. */
  readonly template: string;
  /** By name. A name contains a hash of the content. */
  readonly files: ReadonlyMap<string, BuiltFile>;
}

export interface BuiltFile {
  readonly type: string;
  readonly answer: PreparedAnswer;
}

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Undefined if the folder has no built console. */
export async function readConsole(folder: string): Promise<BuiltConsole | undefined> {
  const assets = join(folder, "assets");
  try {
    const template = await readFile(join(folder, "index.html"), "utf8");
    const names = (await readdir(assets)).filter((name) => types[extname(name)] !== undefined);
    const files = await Promise.all(
      names.map(async (name) => [name, await readBuiltFile(join(assets, name))] as const),
    );
    return { template, files: new Map(files) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Each file has its compressed forms beside it, made with more care than an answer has time for. */
async function readBuiltFile(path: string): Promise<BuiltFile> {
  const [plain, br, gzip] = await Promise.all(
    ["", ".br", ".gz"].map((ending) => readFile(path + ending)),
  );
  return {
    type: types[extname(path)]!,
    answer: prepareAnswer(plain!, { br: br!, gzip: gzip! }),
  };
}
