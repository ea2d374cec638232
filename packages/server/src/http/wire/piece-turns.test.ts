import { expect, test } from "vitest";
import { PieceTurns } from "./piece-turns.ts";

test("other work goes on between two pieces, and other accounts wait for one at most", async () => {
  const turns = new PieceTurns();
  const order: string[] = [];
  const write = (accountId: string): Promise<string> =>
    turns.of(accountId)(() => {
      order.push(accountId);
      return accountId;
    });
  let isDone = false;
  const iterate = (): void => {
    order.push("-");
    if (!isDone) setImmediate(iterate);
  };
  const many = Promise.all(Array.from({ length: 50 }, () => write("many")));
  const one = write("one");
  setImmediate(iterate);
  expect(await one).toBe("one");
  expect(order.filter((name) => name === "many").length).toBeLessThanOrEqual(3);
  await many;
  isDone = true;
  const text = order.map((name) => name[0]).join("");
  expect(text).not.toMatch(/[mo]{3}/);
  expect(text.match(/m/g)).toHaveLength(50);
});
