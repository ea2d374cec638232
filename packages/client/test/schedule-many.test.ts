import { describe, expect, test } from "vitest";
import { ApiError, InputError } from "../src/index.ts";
import type { MessageInput, ManyResult } from "../src/index.ts";
import { ModelService } from "./support/model-service.ts";
import { hangUp, refusal, scriptedServers, silence } from "./support/scripted-server.ts";
import type { Script } from "./support/scripted-server.ts";

const serverWith = scriptedServers();
const item = (payload: string): MessageInput => ({ targetId: "t", in: 1_000, payload });
const told = ({ message, error }: ManyResult): string =>
  message === undefined ? error.message : message.messageId;

function* items(count: number, onRead?: (index: number) => void): Generator<MessageInput> {
  for (let index = 0; index < count; index++) {
    onRead?.(index);
    yield item(`p${index}`);
  }
}
const expected = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `msg of p${index}`);

describe("results", () => {
  test("are in the order of the source, as an array", async () => {
    const model = new ModelService();
    const { messages } = (await serverWith(model.script)).client();
    const results = await messages.scheduleMany(items(5_000));
    expect(results.map(told)).toEqual(expected(5_000));
    expect(Math.max(...model.sizes)).toBe(1_000);
    expect(model.sizes.length).toBeLessThan(50);
  });

  test("are in the order of an asynchronous source, one by one", async () => {
    const model = new ModelService();
    const { messages } = (await serverWith(model.script)).client();
    async function* source() {
      for (const each of items(2_500)) {
        if (Math.random() < 0.01) await new Promise(setImmediate);
        yield each;
      }
    }
    const seen: string[] = [];
    for await (const result of messages.scheduleMany(source())) seen.push(told(result));
    expect(seen).toEqual(expected(2_500));
  });

  test("have the errors of messages that are refused, here or there", async () => {
    const model = new ModelService();
    const { messages } = (await serverWith(model.script)).client();
    const wrong = { targetId: "t", payload: "x" } as unknown as MessageInput;
    const source = [item("a"), item("bad"), wrong, item("b"), item("c"), item("bad 2")];
    const results = await messages.scheduleMany(source);
    expect(results.map(({ error }) => error?.constructor)).toEqual([
      undefined,
      ApiError,
      InputError,
      undefined,
      undefined,
      ApiError,
    ]);
  });

  test("come although the source waits", async () => {
    const { messages } = (await serverWith(new ModelService().script)).client();
    let goOn: (() => void) | undefined;
    async function* source() {
      yield item("first");
      await new Promise<void>((resolve) => (goOn = resolve));
      yield item("second");
    }
    const results = messages.scheduleMany(source())[Symbol.asyncIterator]();
    expect(told((await results.next()).value as ManyResult)).toBe("msg of first");
    goOn?.();
    expect(told((await results.next()).value as ManyResult)).toBe("msg of second");
    expect(await results.next()).toEqual({ done: true, value: undefined });
  });

  test("of nothing are none", async () => {
    const server = await serverWith(silence);
    expect(await server.client().messages.scheduleMany([])).toEqual([]);
    expect(server.received).toEqual([]);
  });
});

describe("the source", () => {
  test("is read only as far as the results are", async () => {
    const { messages } = (await serverWith(new ModelService().script)).client();
    let read = 0;
    let seen = 0;
    for await (const _ of messages.scheduleMany(items(20_000, () => read++))) {
      seen++;
      expect(read - seen).toBeLessThanOrEqual(4_000);
    }
    expect(seen).toBe(20_000);
  });

  test("is closed when the reader stops, and nothing more is sent", async () => {
    const model = new ModelService();
    const { messages } = (await serverWith(model.script)).client();
    let isClosed = false;
    function* source() {
      try {
        for (let index = 0; ; index++) yield item(`p${index}`);
      } finally {
        isClosed = true;
      }
    }
    for await (const result of messages.scheduleMany(source())) if (result) break;
    expect(isClosed).toBe(true);
    expect(model.scheduled.length).toBeLessThan(4_000);
  });

  test.each([
    [
      "at once",
      function* () {
        yield* items(5);
        throw new Error("no more");
      },
    ],
    [
      "later",
      async function* () {
        yield* items(5);
        await new Promise(setImmediate);
        throw new Error("no more");
      },
    ],
  ])(
    "that fails %s ends the results with its error, after those of what it gave",
    async (_, source) => {
      const model = new ModelService();
      const { messages } = (await serverWith(model.script)).client();
      const seen: string[] = [];
      const walk = async (): Promise<void> => {
        for await (const result of messages.scheduleMany(source())) seen.push(told(result));
      };
      await expect(walk()).rejects.toThrow("no more");
      expect(seen).toEqual(expected(5));
      expect(model.scheduled).toHaveLength(5);
      await expect(messages.scheduleMany(source())).rejects.toThrow("no more");
      expect(model.scheduled).toHaveLength(10);
    },
  );

  test("must be one", async () => {
    const { messages } = (await serverWith(silence)).client();
    const wrong = { targetId: "t" } as unknown as MessageInput[];
    await expect(messages.scheduleMany(wrong)).rejects.toThrow(/iterable/);
  });
});

describe("a failure that concerns all", () => {
  test("throws in the place of its message", async () => {
    const model = new ModelService();
    const server = await serverWith(model.script, model.script, refusal(403, "E-DI-2002"));
    const seen: string[] = [];
    const walk = async (): Promise<void> => {
      for await (const result of server.client().messages.scheduleMany(items(10))) {
        seen.push(told(result));
      }
    };
    await expect(walk()).rejects.toMatchObject({ code: "E-DI-2002" });
    expect(seen).toEqual(expected(2));
  });

  test("leaves keys with which the whole may be run again", async () => {
    const model = new ModelService();
    const lost: Script = (request, response) => {
      void model.script(request, { writeHead: () => ({ end() {} }) } as never);
      hangUp(request, response);
    };
    const server = await serverWith(model.script, model.script, lost);
    const { messages } = server.client({ retry: false });
    const keyed = [...items(50)].map((each, index) => ({ ...each, idempotencyKey: `k${index}` }));
    await expect(messages.scheduleMany(keyed)).rejects.toMatchObject({ name: "ConnectionError" });
    server.answerWith(model.script);
    expect((await messages.scheduleMany(keyed)).map(told)).toEqual(expected(50));
    expect(model.scheduled).toHaveLength(50);
  });

  test("may be the caller's signal", async () => {
    const server = await serverWith(silence);
    const controller = new AbortController();
    const many = server.client().messages.scheduleMany(items(10), { signal: controller.signal });
    const outcome = many.then(undefined, (error: unknown) => error);
    await server.arrived(2);
    controller.abort("stop");
    expect(await outcome).toBe("stop");
  });
});

describe("the caller's signal", () => {
  async function* waiting(first: number): AsyncGenerator<MessageInput> {
    yield* items(first);
    await new Promise(() => {});
  }

  test.each([0, 3])("ends the wait for a source that has given %d items", async (first) => {
    const server = await serverWith(new ModelService().script);
    const controller = new AbortController();
    const { signal } = controller;
    const results = server.client().messages.scheduleMany(waiting(first), { signal });
    const walk = results[Symbol.asyncIterator]();
    for (const each of expected(first)) {
      expect(told((await walk.next()).value as ManyResult)).toBe(each);
    }
    const next = walk.next();
    controller.abort("stop");
    await expect(next).rejects.toBe("stop");
  });

  test("that was given before lets nothing begin", async () => {
    const server = await serverWith(silence);
    const signal = AbortSignal.abort("before");
    let read = 0;
    const many = server.client().messages.scheduleMany(
      items(3, () => read++),
      { signal },
    );
    await expect(many).rejects.toBe("before");
    expect(read).toBe(0);
  });
});

test("wrong options are told at once", async () => {
  const { messages } = (await serverWith(silence)).client();
  expect(() => messages.scheduleMany([], { timeoutMs: -1 })).toThrow(InputError);
  expect(() => messages.scheduleMany([], { headers: { authorization: "x" } })).toThrow(InputError);
});

test("nothing is sent before the results are read", async () => {
  const server = await serverWith(new ModelService().script);
  const many = server.client().messages.scheduleMany(items(3));
  expect(server.received).toEqual([]);
  expect(await many).toHaveLength(3);
  expect(await many, "the same results").toHaveLength(3);
});

test("what was awaited can be walked", async () => {
  const { messages } = (await serverWith(new ModelService().script)).client();
  const many = messages.scheduleMany(items(3));
  expect((await many).map(told)).toEqual(expected(3));
  for (let time = 0; time < 2; time++) {
    const seen: string[] = [];
    for await (const result of many) seen.push(told(result));
    expect(seen).toEqual(expected(3));
  }
});

test("what was walked is gone, and says so", async () => {
  const { messages } = (await serverWith(new ModelService().script)).client();
  const many = messages.scheduleMany(items(3));
  const walk = async (): Promise<void> => {
    for await (const result of many) told(result);
  };
  await walk();
  await expect(walk()).rejects.toThrow(/Walked before/);
  await expect(async () => many).rejects.toThrow(InputError);
});

test("the error of a result has the code, if the service refused the message", async () => {
  const { messages } = (await serverWith(new ModelService().script)).client();
  const [refused, wrong] = await messages.scheduleMany([item("bad"), item(5 as never)]);
  expect(refused?.error?.code).toBe("E-DI-3001");
  expect(wrong?.error?.code).toBeUndefined();
});
