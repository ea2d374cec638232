import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";

const root = 0;
const anotherUser = 64_242;

function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "postdate-secrets-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** The module as a process of this user has it: who it runs as is read once. */
async function filesAs(userId: number) {
  const asked = vi.spyOn(process as { getuid(): number }, "getuid").mockReturnValue(userId);
  vi.resetModules();
  try {
    return await import("./secret-files.ts");
  } finally {
    asked.mockRestore();
  }
}

/** What root makes belongs to the operator, so it has to be given to somebody. */
function giveAway(path: string): void {
  if (process.getuid?.() === root) chownSync(path, anotherUser, anotherUser);
}

describe.skipIf(process.getuid === undefined)("what belongs to another user", () => {
  test("a file is not read as a secret, but by its owner and by root", async () => {
    const path = join(newFolder(), "secret");
    writeFileSync(path, "known", { mode: 0o600 });
    giveAway(path);
    const owner = statSync(path).uid;
    const others = await filesAs(owner + 1);
    expect(() => others.readSecretFile(path)).toThrow(`chown ${owner + 1} ${path}`);
    expect((await filesAs(owner)).readSecretFile(path)).toBe("known");
    expect((await filesAs(root)).readSecretFile(path)).toBe("known");
  });

  test("a folder is no place for secrets, but for its owner and for root", async () => {
    const path = newFolder();
    giveAway(path);
    const owner = statSync(path).uid;
    const others = await filesAs(owner + 1);
    expect(() => others.checkFolderIsOurs(path)).toThrow(`chown ${owner + 1} ${path}`);
    for (const userId of [owner, root]) {
      const { checkFolderIsOurs } = await filesAs(userId);
      expect(() => checkFolderIsOurs(path)).not.toThrow();
    }
  });
});

test("a folder is not read as a secret, whoever may open it", async () => {
  const path = newFolder();
  chmodSync(path, 0o700);
  const { readSecretFile } = await import("./secret-files.ts");
  expect(() => readSecretFile(path)).toThrow(/is a link or no file at all/);
});

test("what was planted where a secret goes is not written to", async () => {
  const folder = newFolder();
  const [file, link, elsewhere] = [join(folder, "file"), join(folder, "link"), join(folder, "to")];
  writeFileSync(file, "planted");
  symlinkSync(elsewhere, link);
  const { createSecretFile } = await import("./secret-files.ts");
  for (const path of [file, link]) expect(() => createSecretFile(path, "secret")).toThrow("EEXIST");
  expect(readFileSync(file, "utf8")).toBe("planted");
  expect(existsSync(elsewhere)).toBe(false);
});
