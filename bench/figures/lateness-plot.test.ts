import { expect, test } from "vitest";
import { latenessPlot } from "./lateness-plot.ts";

const bars = (svg: string): { x: number; width: number; height: number }[] =>
  [...svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="([\d.]+)"/g)].map(
    ([, x, width, height]) => ({ x: Number(x), width: Number(width), height: Number(height) }),
  );

test("bars are as high as their share, and stand where their lateness is on a logarithmic axis", () => {
  const svg = latenessPlot("Lateness", [1.1, 1.1, 1.1, 1.1, 11, 11]);
  const [low, high] = bars(svg);
  expect(bars(svg)).toHaveLength(2);
  expect(high!.height / low!.height).toBeCloseTo(0.5, 2);
  // A decade of three, 0.1 to 100 ms, over what the margins leave of the width.
  expect(high!.x - low!.x).toBeCloseTo((760 - 54 - 36) / 3, 0);
});

test("percentiles and the number of messages are written into it", () => {
  const svg = latenessPlot("Lateness", [...Array.from({ length: 199 }, () => 2), 40]);
  expect(svg).toMatch(/>p50 2 ms</);
  expect(svg).toMatch(/>p99 2 ms</);
  expect(svg).toMatch(/>largest 40 ms</);
  expect(svg).toMatch(/200 messages/);
});

test("the axis is as long as the lateness, and what is early stands at its beginning", () => {
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
