import { expect, test } from "vitest";
import type { Store } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import { entriesOf, note, storesOf } from "./harness.ts";

const ofService = () => note({ accountId: null, action: "signing-key.created" });
const key = (keyId: string) => ({
  keyId,
  publicKey: `{"kid":"${keyId}"}`,
  sealedPrivateKey: `sealed ${keyId}`,
});
const idsOf = async (store: Store): Promise<string[]> =>
  (await store.listSigningKeys()).map(({ keyId }) => keyId);

export function signingKeySuite(
  makeLocation: MakeLocation,
  { shared }: { readonly shared: boolean },
): void {
  const open = storesOf(makeLocation);

  test("keys are added after the newest, and listed newest first", async () => {
    const { store, reopen } = await open();
    expect(await store.listSigningKeys()).toEqual([]);
    expect(await store.addSigningKey(key("b"), "nothing", ofService())).toBe(false);
    for (const [keyId, newest] of [
      ["b", null],
      ["a", "b"],
      ["c", "a"],
    ] as const) {
      expect(await store.addSigningKey(key(keyId), newest, ofService())).toBe(true);
    }
    expect(await store.addSigningKey(key("d"), null, ofService())).toBe(false);
    expect(await store.addSigningKey(key("d"), "b", ofService())).toBe(false);
    const again = await reopen();
    const [newest] = await again.listSigningKeys();
    expect(newest).toEqual({ ...key("c"), creationTime: expect.any(Number) });
    expect(await idsOf(again)).toEqual(["c", "a", "b"]);
    expect(await entriesOf(again, null)).toHaveLength(3);
  });

  test("a removed key is gone, and the previous key is then the newest", async () => {
    const { store } = await open();
    await store.addSigningKey(key("a"), null, ofService());
    await store.addSigningKey(key("b"), "a", ofService());
    expect(await store.removeSigningKey("b", ofService())).toBe(true);
    expect(await store.removeSigningKey("b", ofService())).toBe(false);
    expect(await idsOf(store)).toEqual(["a"]);
    expect(await store.addSigningKey(key("c"), "b", ofService())).toBe(false);
    expect(await store.addSigningKey(key("c"), "a", ofService())).toBe(true);
    expect(await entriesOf(store, null)).toHaveLength(4);
  });

  test("of several calls that add a key after the same one, exactly one succeeds", async () => {
    const { store, openAnother } = await open();
    const stores = shared ? [store, await openAnother(), await openAnother()] : [store];
    let newest: string | null = null;
    for (let round = 0; round < 5; round++) {
      const before: string | null = newest;
      const added: boolean[] = await Promise.all(
        Array.from({ length: 9 }, (_, index) =>
          stores[index % stores.length]!.addSigningKey(
            key(`${round}/${index}`),
            before,
            ofService(),
          ),
        ),
      );
      expect(added.filter(Boolean)).toHaveLength(1);
      newest = `${round}/${added.indexOf(true)}`;
      expect((await idsOf(stores.at(-1)!))[0]).toBe(newest);
    }
    expect(await entriesOf(store, null)).toHaveLength(5);
  });
}
