import { expect } from "vitest";
import { expectProblems } from "./expectations.ts";
import type { Api } from "./api.ts";
import { farAway } from "./shared-service.ts";

const message = { targetId: "t", deliveryTime: farAway, payload: "hello" };
const batchSize = 20;

interface Outcome {
  readonly messageId?: string;
  readonly errors?: unknown;
}

/**
 * Schedules this many messages at once, spread over the nodes, half of them one by one and half in batches.
 * Returns the ids of the accepted ones. The others must have been refused for the limit.
 */
export async function scheduleInParallel(
  apis: readonly Api[],
  count: number,
): Promise<Set<string>> {
  const single = async (api: Api): Promise<Outcome[]> => {
    const { status, body } = await api("POST", "/v1/messages", { body: message });
    return [status === 200 ? { messageId: body.messageId } : { errors: body.errors }];
  };
  const batch = async (api: Api): Promise<Outcome[]> => {
    const messages = Array.from({ length: batchSize }, () => message);
    const { body } = await api("POST", "/v1/messages/batch", { body: { messages } });
    return body.results.map((result: { message?: { messageId: string }; errors?: unknown }) =>
      result.message ? { messageId: result.message.messageId } : { errors: result.errors },
    );
  };
  const calls = [
    ...Array.from({ length: count / 2 }, () => single),
    ...Array.from({ length: count / 2 / batchSize }, () => batch),
  ];
  const outcomes = await Promise.all(calls.map((call, place) => call(apis[place % apis.length]!)));
  const all = outcomes.flat();
  expect(all).toHaveLength(count);
  for (const { errors } of all) if (errors) expectProblems(errors, [{ code: "E-DI-5005" }]);
  return new Set(all.flatMap(({ messageId }) => messageId ?? []));
}
