import { percentile } from "./medians.ts";

const width = 760;
const height = 320;
const left = 54;
const right = 36;
const top = 88;
const bottom = 48;
const binsPerDecade = 16;

/** An SVG picture of how late the messages were: a histogram over a logarithmic axis. */
export function latenessPlot(title: string, latenessMs: readonly number[]): string {
  const largest = percentile(latenessMs, 1);
  const from = Math.min(-1, Math.floor(Math.log10(Math.max(percentile(latenessMs, 0), 0.01))));
  const to = Math.max(2, Math.ceil(Math.log10(largest)));
  const x = (ms: number): number =>
    left + ((Math.log10(Math.max(ms, 10 ** from)) - from) / (to - from)) * (width - left - right);
  const bins = countBins(latenessMs, from, to);
  const most = Math.max(...bins);
  const y = (count: number): number => height - bottom - (count / most) * (height - top - bottom);

  const bars = bins.map((count, bin) => {
    const [start, end] = [bin, bin + 1].map((edge) => x(10 ** (from + edge / binsPerDecade)));
    const barTop = y(count);
    return count === 0
      ? ""
      : `<rect x="${round(start!)}" y="${round(barTop)}" width="${round(end! - start! - 1)}" height="${round(height - bottom - barTop)}"/>`;
  });
  const decades = Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));
  const axis = decades.map(
    (ms) =>
      `<path d="M${round(x(ms))} ${top}V${height - bottom}"/><text x="${round(x(ms))}" y="${height - bottom + 18}">${ms.toLocaleString("en")} ms</text>`,
  );
  // The label of the largest value is the highest, and each label is left of its line, if there is
  // room. So no line crosses a label.
  const marks = [1, 0.99, 0.5].map((share, row) => {
    const ms = percentile(latenessMs, share);
    const name = share === 1 ? "largest" : `p${share * 100}`;
    const [labelX, anchor] = x(ms) < 150 ? [x(ms) + 5, "start"] : [x(ms) - 5, "end"];
    const label = `${name} ${ms.toLocaleString("en", { maximumSignificantDigits: 2 })} ms`;
    return `<path d="M${round(x(ms))} ${top - 46 + row * 14}V${height - bottom}"/><text x="${round(labelX)}" y="${top - 36 + row * 14}" text-anchor="${anchor}">${label}</text>`;
  });
  const count = latenessMs.length.toLocaleString("en");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${title}">
<rect width="${width}" height="${height}" rx="8" fill="#ffffff"/>
<text x="${left}" y="24" font-size="15" font-weight="600" fill="#1f2933">${title}</text>
<g stroke="#e4e7eb" fill="#616e7c" text-anchor="middle" stroke-width="1">${axis.join("").replaceAll("<text", '<text stroke="none"')}</g>
<text x="${left - 8}" y="${round(y(most) + 4)}" text-anchor="end" fill="#616e7c">${most.toLocaleString("en")}</text>
<text x="${left - 8}" y="${height - bottom}" text-anchor="end" fill="#616e7c">0</text>
<g fill="#5b8def">${bars.join("")}</g>
<g stroke="#c2410c" fill="#c2410c" stroke-width="1">${marks.join("").replaceAll("<text", '<text stroke="none"')}</g>
<text x="${width - right}" y="${height - 10}" text-anchor="end" fill="#616e7c">from due to arrival at the receiver; ${count} messages</text>
</svg>
`;
}

/** Values outside the range count in the first or last bin. */
function countBins(latenessMs: readonly number[], from: number, to: number): number[] {
  const bins = Array.from({ length: (to - from) * binsPerDecade }, () => 0);
  for (const ms of latenessMs) {
    const bin = Math.floor((Math.log10(Math.max(ms, 10 ** from)) - from) * binsPerDecade);
    bins[Math.min(bin, bins.length - 1)]! += 1;
  }
  return bins;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
