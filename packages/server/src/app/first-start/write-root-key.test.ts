import {
  chmodSync,
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
import { afterEach, beforeEach, expect, test } from "vitest";
import { hashKey, rootKeyId } from "../../operations/access/create-key.ts";
import { createKeyMarks } from "../../operations/access/key-marks.ts";
import { systemRandom } from "../../platform/random.ts";
import { testStores } from "../../storage/postgres/testing/test-stores.ts";
import type { Store } from "../../storage/store.ts";
import { ensureRootAccess } from "./root-access.ts";
import { writeRootKey } from "./write-root-key.ts";

const makeStores = testStores();
const keyOptions = { random: systemRandom, keyMarks: createKeyMarks(systemRandom.bytes(32)) };
let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "postdate-root-key-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const path = (): string => join(folder, "root-key");
const ensure = (store: Store): Promise<string | null> =>
  ensureRootAccess(store, { rootKey: null, writeRootKey: path() }, keyOptions);

test("only its owner can read the file", () => {
  writeRootKey(path(), "pd_secret");
  expect(readFileSync(path(), "utf8")).toBe("pd_secret\n");
  if (process.platform !== "win32") expect(statSync(path()).mode & 0o777).toBe(0o600);
});

test("an existing file is left as it is", () => {
  writeFileSync(path(), "somebody's");
  chmodSync(path(), 0o666);
  expect(() => writeRootKey(path(), "pd_secret")).toThrow(
    /root-key: it exists already\. Remove it, or choose another with --write-root-key/,
  );
  expect(readFileSync(path(), "utf8")).toBe("somebody's");
});

test.skipIf(process.platform === "win32")("a link is not followed", () => {
  for (const target of ["elsewhere", "nowhere"]) {
    if (target === "elsewhere") writeFileSync(join(folder, target), "");
    rmSync(path(), { force: true });
    symlinkSync(join(folder, target), path());
    expect(() => writeRootKey(path(), "pd_secret")).toThrow(/it exists already/);
  }
  expect(readFileSync(join(folder, "elsewhere"), "utf8")).toBe("");
  expect(existsSync(join(folder, "nowhere"))).toBe(false);
});

test("the error names a missing folder", () => {
  expect(() => writeRootKey(join(folder, "no/root-key"), "pd_secret")).toThrow(
    /its folder does not exist/,
  );
});

test("the key in the file works, and a later start writes no key", async () => {
  const { open } = await makeStores();
  const store = await open();
  const key = await ensure(store);
  expect(readFileSync(path(), "utf8")).toBe(`${key}\n`);
  expect(await store.findKey(hashKey(key!))).toMatchObject({ key: { keyId: rootKeyId } });
  rmSync(path());
  expect(await ensure(store)).toBeNull();
  expect(existsSync(path())).toBe(false);
});

test("when the file cannot be written, no key is made, and the next start makes one", async () => {
  const { open } = await makeStores();
  const store = await open();
  writeFileSync(path(), "in the way");
  await expect(ensure(store)).rejects.toThrow(/exists already/);
  rmSync(path());
  expect(await ensure(store)).toMatch(/^pd_/);
});

test("a key that the store refused does not stay in the file", async () => {
  const { open } = await makeStores();
  const store = await open();
  const failing = Object.create(store, {
    createKey: { value: () => Promise.reject(new Error("the store is full")) },
  }) as Store;
  await expect(ensure(failing)).rejects.toThrow(/the store is full/);
  expect(existsSync(path())).toBe(false);
});

test("a key that the store accepted stays in the file, even if the answer was lost", async () => {
  const { open } = await makeStores();
  const store = await open();
  const deaf = Object.create(store, {
    createKey: {
      async value(...args: Parameters<Store["createKey"]>) {
        await store.createKey(...args);
        throw new Error("the connection is gone");
      },
    },
  }) as Store;
  const key = await ensure(deaf);
  expect(readFileSync(path(), "utf8")).toBe(`${key}\n`);
});
