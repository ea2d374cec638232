import { expect } from "vitest";
import type { ApiAnswer } from "./api.ts";

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

export const anyInstant: unknown = instant;

const emptyMessage = {
  messageId: expect.stringMatching(/^\S+$/),
  targetId: expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
  schedulingTime: instant,
  originalDeliveryTime: instant,
  state: expect.stringMatching(/^(SCHEDULED|DELIVERED|DEAD_LETTER|CANCELLED)$/),
  deliveryFailureCount: 0,
  nextDeliveryTime: null,
  lastDeliveryTime: null,
  deadLetterTime: null,
  cancellationTime: null,
  expirationTime: null,
};

/**
 * Expects exactly the eleven fields. A field not given must be empty or, if it never is, have the right
 * form.
 */
export function expectMessage(
  message: unknown,
  fields: Partial<typeof emptyMessage | object>,
): void {
  expect(message).toStrictEqual({ ...emptyMessage, ...fields });
}

export interface ExpectedProblem {
  readonly code: string;
  readonly field?: string;
}

/** Expects the error format, the status, and exactly these problems in any order. */
export function expectRefusal(
  answer: ApiAnswer,
  statusCode: number,
  ...problems: readonly ExpectedProblem[]
): void {
  const said = `${answer.status} ${answer.text.slice(0, 2_000)}`;
  expect(answer.status, said).toBe(statusCode);
  expect(answer.headers.get("content-type"), said).toMatch(/^application\/json/);
  expect(Object.keys(answer.body), said).toEqual(["errors"]);
  expectProblems(answer.body.errors, problems);
}

export function expectProblems(errors: unknown, problems: readonly ExpectedProblem[]): void {
  const said = JSON.stringify(errors);
  expect(errors, said).toBeInstanceOf(Array);
  const found = (errors as Record<string, unknown>[]).map(({ code, message, field, ...more }) => {
    expect(code, said).toMatch(/^E-DI-\d{4}$/);
    expect(message, said).toMatch(/\S+ \S+/);
    expect(more, said).toEqual({});
    return field === undefined ? { code } : { code, field };
  });
  const inOrder = (list: readonly unknown[]): string[] =>
    list.map((each) => JSON.stringify(each)).toSorted();
  expect(inOrder(found), said).toEqual(
    inOrder(problems.map(({ code, field }) => (field === undefined ? { code } : { code, field }))),
  );
}

/** Expects the error format, the status, and at least this problem. */
export function expectRefusalNaming(
  answer: ApiAnswer,
  statusCode: number,
  code: string,
  field: RegExp,
): void {
  const said = `${answer.status} ${answer.text.slice(0, 2_000)}`;
  expect(answer.status, said).toBe(statusCode);
  expect(Object.keys(answer.body), said).toEqual(["errors"]);
  const named = answer.body.errors.filter(
    (problem: { code: string; field?: string }) =>
      problem.code === code && field.test(problem.field ?? ""),
  );
  expect(named.length, said).toBeGreaterThan(0);
}
