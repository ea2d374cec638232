import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeDataFolder } from "./data-folder.ts";

test("makes every missing folder, readable only by its owner, and accepts existing ones", () => {
  const folder = mkdtempSync(join(tmpdir(), "postdate-folder-"));
  const path = join(folder, "a/b/c");
  makeDataFolder(path);
  makeDataFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  rmSync(folder, { recursive: true });
});

test("fails at once where no folder can exist", () => {
  expect(() => makeDataFolder("/dev/null/postdate")).toThrow(/ENOTDIR|EEXIST/);
  if (process.platform === "linux")
    expect(() => makeDataFolder("/proc/postdate/x")).toThrow("ENOENT");
});

test("a folder that everybody may write to is refused, and the error says what to do", () => {
  const folder = mkdtempSync(join(tmpdir(), "postdate-folder-"));
  chmodSync(folder, 0o777);
  expect(() => makeDataFolder(folder)).toThrow(`chmod 700 ${folder}`);
  expect(() => makeDataFolder(join(folder, "own"))).not.toThrow();
  chmodSync(folder, 0o750);
  expect(() => makeDataFolder(folder)).not.toThrow();
  rmSync(folder, { recursive: true });
});
