import { expect, test } from "vitest";
import { comparedFigure } from "./figure.ts";
import { plain, tableOf } from "./table.ts";

test("one line for each figure, in columns, with its bound and whether it is reached", () => {
  const table = tableOf([
    comparedFigure({ name: "drain", unit: "/s", wanted: { atLeast: 0.5 } }, [4_000, 9_200.4], {
      name: "undici",
      values: [10_000, 20_000],
    }),
    { name: "lateness", unit: "ms", value: 1.23456, wanted: { atMost: 2 } },
    { name: "memory", unit: "MiB", value: 1_234.5 },
  ]);
  expect(table.split("\n")).toEqual([
    "                 measured   limit  ratio      turns  wanted",
    "drain ÷ undici   6,600 /s  15,000   0.43  0.40–0.46   ≥ 0.5  NOT REACHED",
    "lateness          1.23 ms                               ≤ 2      reached",
    "memory          1,235 MiB",
  ]);
});

test("numbers have three digits, or are whole", () => {
  expect([0, 0.004_567, 1.236, 99.96, 100.4, 1_234_567.8].map(plain)).toEqual([
    "0",
    "0.00457",
    "1.24",
    "100",
    "100",
    "1,234,568",
  ]);
});
