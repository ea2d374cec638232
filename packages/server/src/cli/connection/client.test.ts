import { ApiError, InputError, TimeoutError } from "@postdate/client";
import { expect, test } from "vitest";
import { CommandFailed } from "../failures/exit-codes.ts";
import { connected } from "../testing/connected-terminal.ts";
import { messageId, wireMessage } from "../testing/samples.ts";
import { asCommandFailure } from "./client.ts";

const place = { url: "https://postdate.example.com", advice: "Check the key." };

test.each([
  [
    new TimeoutError(30_000),
    3,
    "No answer from https://postdate.example.com within 30 s. The request may still have taken effect.",
  ],
  [new InputError("idempotencyKey must be short."), 2, "idempotencyKey must be short."],
])("%s becomes a failure of the command", (error, exitCode, message) => {
  expect(asCommandFailure(error, place)).toMatchObject({ exitCode, lines: [message] });
});

test("a refusal keeps its problems for programs, and a wrong key has advice for people", () => {
  const errors = [{ code: "E-DI-2001", message: "Unknown key." }];
  const refusal = new ApiError({ status: 401, errors, requestId: null, retryAfterMs: null });
  const failure = asCommandFailure(refusal, place);
  expect(failure).toBeInstanceOf(CommandFailed);
  expect(failure).toMatchObject({
    exitCode: 1,
    lines: ["E-DI-2001: Unknown key.", "Check the key."],
    problems: errors,
  });
});

test("a bug stays a bug", () => {
  const bug = new TypeError("a bug");
  expect(asCommandFailure(bug, place)).toBe(bug);
});

const overloaded = {
  status: 503,
  json: { errors: [{ code: "E-DI-9002", message: "Overloaded." }] },
};

test("a message is sent again with the same idempotency key while the service is overloaded", async () => {
  const terminal = await connected((_asked, index) =>
    index === 0 ? overloaded : { json: wireMessage() },
  );
  expect(await terminal.run("send", "billing", "x")).toBe(0);
  const keys = terminal.asked.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
});

test("what cannot be repeated is sent once, and nothing is sent for ever", async () => {
  const terminal = await connected(() => overloaded);
  expect(await terminal.run("key", "create", "--name", "ci")).toBe(1);
  expect(terminal.asked).toHaveLength(1);
  expect(await terminal.run("get", messageId)).toBe(1);
  expect(terminal.asked).toHaveLength(4);
  expect(terminal.stderr.text).toBe("E-DI-9002: Overloaded.\nE-DI-9002: Overloaded.\n");
});
