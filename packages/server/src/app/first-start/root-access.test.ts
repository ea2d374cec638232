import { expect, test } from "vitest";
import { hashKey, rootKeyId } from "../../operations/access/create-key.ts";
import { createKeyMarks } from "../../operations/access/key-marks.ts";
import { systemRandom } from "../../platform/random.ts";
import { testStores } from "../../storage/postgres/testing/test-stores.ts";
import { ensureRootAccess } from "./root-access.ts";

const makeStores = testStores();
const keyOptions = { random: systemRandom, keyMarks: createKeyMarks(systemRandom.bytes(32)) };

test("when nodes start together, one of them makes the root key, and that key is valid", async () => {
  const { open } = await makeStores();
  const stores = await Promise.all([open(), open(), open()]);
  const start = (fixed: string | null) =>
    Promise.all(
      stores.map((store) =>
        ensureRootAccess(store, { rootKey: fixed, writeRootKey: null }, keyOptions),
      ),
    );

  const printed = (await start(null)).filter((key) => key !== null);
  expect(printed).toHaveLength(1);
  expect(await stores[0].findKey(hashKey(printed[0]!))).toMatchObject({
    key: { keyId: rootKeyId },
  });

  const fixed = "pd_fixed_by_the_operator";
  expect(await start(fixed)).toEqual([null, null, null]);
  expect(await stores[0].findKey(hashKey(printed[0]!))).toBeUndefined();
  expect(await stores[0].findKey(hashKey(fixed))).toMatchObject({ key: { keyId: rootKeyId } });
});
