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

/** The module in a process of this user. The module reads the user's id once. */
async function filesAs(userId: number) {
  const asked = vi.spyOn(process as { getuid(): number }, "getuid").mockReturnValue(userId);
  vi.resetModules();
  try {
    return await import("./secret-files.ts");
  } finally {
    asked.mockRestore();
  }
}

/** Files of root count as the operator's, so root must give the file to another user. */
function giveAway(path: string): void {
  if (process.getuid?.() === root) chownSync(path, anotherUser, anotherUser);
}

describe.skipIf(process.getuid === undefined)("files of another user", () => {
  test("only its owner and root read a file as a secret", async () => {
    const path = join(newFolder(), "secret");
    writeFileSync(path, "known", { mode: 0o600 });
    giveAway(path);
    const owner = statSync(path).uid;
    const others = await filesAs(owner + 1);
    expect(() => others.readSecretFile(path)).toThrow(`chown ${owner + 1} ${path}`);
    expect((await filesAs(owner)).readSecretFile(path)).toBe("known");
    expect((await filesAs(root)).readSecretFile(path)).toBe("known");
  });

  test("only its owner and root keep secrets in a folder", async () => {
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

test("a folder is not read as a secret", async () => {
  const path = newFolder();
  chmodSync(path, 0o700);
  const { readSecretFile } = await import("./secret-files.ts");
  expect(() => readSecretFile(path)).toThrow(/is a link or no file at all/);
});

test("a planted file or link is not written to", async () => {
  const folder = newFolder();
  const [file, link, elsewhere] = [join(folder, "file"), join(folder, "link"), join(folder, "to")];
  writeFileSync(file, "planted");
  symlinkSync(elsewhere, link);
  const { createSecretFile } = await import("./secret-files.ts");
  for (const path of [file, link]) expect(() => createSecretFile(path, "secret")).toThrow("EEXIST");
  expect(readFileSync(file, "utf8")).toBe("planted");
  expect(existsSync(elsewhere)).toBe(false);
});
