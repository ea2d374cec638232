import { executionAsyncResource } from "node:async_hooks";
import { expect, test } from "vitest";

test("the resource of a tick is the object that nextTick made for it", async () => {
  const made = await new Promise<object>((resolve) => {
    const callback = (): void => resolve(executionAsyncResource());
    process.nextTick(callback);
  });
  expect(Object.keys(made)).toContain("callback");
  expect(Object.getOwnPropertySymbols(made).length).toBeGreaterThanOrEqual(2);
});
