import { expect, test } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import { operatorKey } from "../testing/open-test-api.ts";
import { sharedTestApi } from "../testing/shared-test-api.ts";

const api = sharedTestApi({ clock: { now: () => systemClock.now(), monotonic: () => 0 } });

test("requests of a suspended account count against its limit", async () => {
  const requestLimit = { max: 2, intervalMs: 86_400_000 };
  const made = await api.call({
    method: "POST",
    url: "/v1/accounts",
    body: { accountId: "suspended", requestLimit },
    key: operatorKey,
  });
  const { key } = made.json<{ key: string }>();
  const suspend = "/v1/accounts/suspended/suspend";
  await api.call({ method: "POST", url: suspend, key: operatorKey });
  const codes: string[] = [];
  for (let count = 0; count < 4; count++) {
    const answer = await api.call({ method: "GET", url: "/v1/keys", key });
    codes.push(answer.json<{ errors: { code: string }[] }>().errors[0]!.code);
  }
  expect(codes).toEqual(["E-DI-4003", "E-DI-4003", "E-DI-2003", "E-DI-2003"]);
});
