import { expect, test } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import { onEachStore } from "./support/on-each-store.ts";

const callers = 40;

onEachStore((makeService) => {
  const service = makeService();

  /** Many callers change one thing, and each is answered with what it has made of it. */
  const changeAtOnce = async (path: string, changes: readonly object[]): Promise<ApiAnswer[]> => {
    const answers = await Promise.all(changes.map((body) => service.api("PATCH", path, { body })));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    for (const [index, change] of changes.entries()) {
      expect(answers[index]!.body).toMatchObject(change);
    }
    return answers;
  };
  const revisionsIn = (answers: readonly ApiAnswer[]): number[] =>
    answers.map(({ body }) => body.revision).toSorted((a, b) => a - b);
  const oneByOne = Array.from({ length: callers }, (_, index) => index + 2);

  test("changes of an event endpoint take effect one after the other", async () => {
    const { targetId } = await service.target();
    const body = { endpointId: "at-once", kind: "stream", targetIds: [targetId] };
    expect((await service.api("POST", "/v1/event-endpoints", { body })).status).toBe(201);
    const changes = Array.from({ length: callers }, (_, index) => ({
      labels: { number: String(index) },
    }));
    const answers = await changeAtOnce("/v1/event-endpoints/at-once", changes);
    expect(revisionsIn(answers)).toEqual(oneByOne);
  });

  test("changes of a target take effect one after the other", async () => {
    const { targetId } = await service.target();
    const changes = Array.from({ length: callers }, (_, index) => ({ maxConcurrency: index + 20 }));
    expect(await changeAtOnce(`/v1/targets/${targetId}`, changes)).toHaveLength(callers);
  });

  test("changes of a schedule take effect one after the other", async () => {
    const { targetId } = await service.target();
    const scheduleId = `at-once-${targetId}`;
    const body = { scheduleId, targetId, cron: "0 9 * * *", timeZone: "UTC", payload: "" };
    expect((await service.api("POST", "/v1/schedules", { body })).status).toBe(201);
    const changes = Array.from({ length: callers }, (_, index) => ({ payload: `${index}` }));
    const answers = await changeAtOnce(`/v1/schedules/${scheduleId}`, changes);
    expect(revisionsIn(answers)).toEqual(oneByOne);
  });
});
