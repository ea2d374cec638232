import { expect, test } from "vitest";
import { latenessPlot } from "./lateness-plot.ts";

const bars = (svg: string): { x: number; width: number; height: number }[] =>
  [...svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="([\d.]+)"/g)].map(
    ([, x, width, height]) => ({ x: Number(x), width: Number(width), height: Number(height) }),
  );

test("bars are as high as their share, at their lateness on a logarithmic axis", () => {
  const svg = latenessPlot("Lateness", [1.1, 1.1, 1.1, 1.1, 11, 11]);
  const [low, high] = bars(svg);
  expect(bars(svg)).toHaveLength(2);
  expect(high!.height / low!.height).toBeCloseTo(0.5, 2);
  // One of three decades, 0.1 to 100 ms, over the width without the margins.
  expect(high!.x - low!.x).toBeCloseTo((760 - 54 - 36) / 3, 0);
});

test("the picture names the percentiles and the number of messages", () => {
  const svg = latenessPlot("Lateness", [...Array.from({ length: 199 }, () => 2), 40]);
  expect(svg).toMatch(/>p50 2 ms</);
  expect(svg).toMatch(/>p99 2 ms</);
  expect(svg).toMatch(/>largest 40 ms</);
  expect(svg).toMatch(/200 messages/);
});

test("the axis covers all lateness, and early messages are at its beginning", () => {
  const svg = latenessPlot("Lateness", [-3, 0.5, 2_500]);
  expect(svg).toMatch(/10,000 ms/);
  expect(bars(svg)).toHaveLength(3);
  expect(svg).not.toMatch(/NaN|Infinity/);
});

test("the picture is well-formed: every element is closed", () => {
  const svg = latenessPlot("Lateness", [1, 2, 3]);
  const opened = svg.match(/<[a-z]+[^>]*[^/]>/g)!.length;
  expect(svg.match(/<\/[a-z]+>/g)).toHaveLength(opened);
});
