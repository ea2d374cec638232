import { expect, test } from "vitest";
import { defaultOverlapMs, rotatedSecrets } from "./rotated-secrets.ts";

const hourMs = 3_600_000;
const alone = { current: "S1", previous: null, previousUntil: null };
const overlapping = { current: "S2", previous: "S1", previousUntil: 10 * hourMs };

test("both secrets sign during the overlap", () => {
  expect(rotatedSecrets(alone, { secret: "S2", overlapMs: hourMs }, 5)).toEqual({
    current: "S2",
    previous: "S1",
    previousUntil: 5 + hourMs,
  });
  expect(rotatedSecrets(alone, { secret: "S2", overlapMs: undefined }, 5)).toMatchObject({
    previousUntil: 5 + defaultOverlapMs,
  });
});

test("without an overlap only the new secret signs, even during an earlier overlap", () => {
  const rotation = { secret: "S3", overlapMs: 0 };
  const expected = { current: "S3", previous: null, previousUntil: null };
  expect(rotatedSecrets(alone, rotation, 0)).toEqual(expected);
  expect(rotatedSecrets(overlapping, rotation, hourMs)).toEqual(expected);
});

test.each([undefined, 0, hourMs, 9 * hourMs])(
  "the current secret again, with %s ms, does not change the overlap",
  (overlapMs) => {
    expect(rotatedSecrets(overlapping, { secret: "S2", overlapMs }, hourMs)).toBeUndefined();
  },
);

test("the current secret again, with a longer time, extends the overlap", () => {
  const rotation = { secret: "S2", overlapMs: 24 * hourMs };
  expect(rotatedSecrets(overlapping, rotation, hourMs)).toEqual({
    ...overlapping,
    previousUntil: 25 * hourMs,
  });
});

test("an overlap that is over does not begin again", () => {
  const rotation = { secret: "S2", overlapMs: 24 * hourMs };
  expect(rotatedSecrets(overlapping, rotation, 10 * hourMs)).toBeUndefined();
  expect(rotatedSecrets({ ...alone, current: "S2" }, rotation, 0)).toBeUndefined();
});

test("a second rotation during an overlap keeps the two latest secrets", () => {
  expect(rotatedSecrets(overlapping, { secret: "S3", overlapMs: hourMs }, hourMs)).toEqual({
    current: "S3",
    previous: "S2",
    previousUntil: 2 * hourMs,
  });
});
