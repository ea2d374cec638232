import { expect, onTestFinished, test } from "vitest";
import { openTestApi } from "../testing/open-test-api.ts";

async function messageAt(answersCallers: boolean, method: "GET" | "POST", url: string) {
  const api = await openTestApi({ answersCallers });
  onTestFinished(() => api.close());
  const answer = await api.call({ method, url, ...(method === "POST" ? { body: {} } : {}) });
  expect(answer.statusCode).toBe(404);
  const { errors } = answer.json<{ errors: { code: string; message: string }[] }>();
  expect(errors).toMatchObject([{ code: "E-DI-1003" }]);
  return errors[0]!.message;
}

test.each([
  ["POST", "/v1/messages"],
  ["GET", "/v1/messages/x"],
  ["GET", "/v1/targets?limit=1"],
] as const)("a node that only delivers says which nodes answer %s %s", async (method, url) => {
  expect(await messageAt(false, method, url)).toMatch(
    /this node only delivers\. Call a node with the role api or all\.$/,
  );
});

test("a node that answers callers points to the documentation", async () => {
  expect(await messageAt(true, "GET", "/v1/nonsense")).toMatch(/See \/docs/);
});
