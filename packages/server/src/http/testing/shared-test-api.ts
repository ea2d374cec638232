import { afterAll, beforeAll } from "vitest";
import type { HttpOptions } from "../http-options.ts";
import { openTestApi } from "./open-test-api.ts";
import type { TestApi } from "./open-test-api.ts";

/** One API for all tests of a file. It can be used once the tests have begun. */
export function sharedTestApi(changes: Partial<HttpOptions> = {}): TestApi {
  let api: TestApi;
  beforeAll(async () => {
    api = await openTestApi(changes);
  });
  afterAll(() => api.close());
  return new Proxy({} as TestApi, { get: (_, part: keyof TestApi) => api[part] });
}
