import { expect, test } from "vitest";
import { answer, scriptedServers } from "./support/scripted-server.ts";

const serverWith = scriptedServers();

const page = (messageIds: readonly string[], nextPageToken: string | null) =>
  answer(200, {
    items: messageIds.map((messageId) => ({ messageId })),
    count: messageIds.length,
    pageToken: "this",
    nextPageToken,
    searchedUntil: nextPageToken && "2030-01-01T00:00:00.000Z",
  });

test("a search travels as the service reads it", async () => {
  const server = await serverWith(page([], null));
  const { searchedUntil } = await server
    .client()
    .messages.find({
      state: ["SCHEDULED", "DEAD_LETTER"],
      targetId: "mail",
      labels: { order: "4711", note: "a,b\\c:d" },
      minTime: new Date("2030-01-01T00:00:00Z"),
      order: "oldest",
      limit: 50,
    })
    .page();
  expect(searchedUntil).toBeNull();
  const { searchParams } = new URL(server.received[0]!.path, "http://server");
  expect(Object.fromEntries(searchParams)).toEqual({
    state: "SCHEDULED,DEAD_LETTER",
    targetId: "mail",
    label: String.raw`order:4711,note:a\,b\\c:d`,
    minTime: "2030-01-01T00:00:00.000Z",
    order: "oldest",
    limit: "50",
  });
});

test("a search without filters, or with none that says anything, has no query", async () => {
  const server = await serverWith(page([], null));
  const { messages } = server.client();
  await messages.find().page();
  await messages.find({ labels: {} }).page();
  expect(server.received.map(({ path }) => path)).toEqual(["/v1/messages", "/v1/messages"]);
});

test("a walk goes on after an empty page", async () => {
  const pages = [page(["a"], "2"), page([], "3"), page(["b"], null)];
  const server = await serverWith(...pages);
  const found = await server.client().messages.find({ state: "CANCELLED" }).all();
  expect(found.map(({ messageId }) => messageId)).toEqual(["a", "b"]);
});
