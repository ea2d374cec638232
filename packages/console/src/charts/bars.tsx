import styles from "./bars.module.css";

export type Tone = "plain" | "coming" | "good" | "bad";

export interface Bar {
  /** What the bar stands for, such as a time. */
  readonly label: string;
  /** From the bottom up. */
  readonly parts: readonly { readonly value: number; readonly tone: Tone; readonly name: string }[];
}

interface BarsProps {
  readonly bars: readonly Bar[];
  /** The chart in words, for those who do not see it. */
  readonly summary: string;
  /** Below the bars: at the left, in the middle, at the right. */
  readonly ticks?: readonly string[];
  readonly height?: number;
}

const barWidth = 10;
const gap = 1.6;
/** A value that is not zero is never too small to be seen. */
const leastHeight = 1.5;

/** The one chart of the console: bars over time, a histogram or, when it is small, a sparkline. */
export function Bars({ bars, summary, ticks, height = 96 }: BarsProps) {
  const highest = Math.max(1, ...bars.map(total));
  return (
    <figure className={styles["figure"]}>
      <svg
        role="img"
        aria-label={summary}
        className={styles["chart"]}
        height={height}
        viewBox={`0 0 ${bars.length * barWidth} 100`}
        preserveAspectRatio="none"
      >
        <rect x="0" y="99" width={bars.length * barWidth} height="1" className={styles["ground"]} />
        {bars.map((bar, index) => (
          <Column key={bar.label} bar={bar} x={index * barWidth} highest={highest} />
        ))}
      </svg>
      {ticks !== undefined && (
        <div className={styles["ticks"]} aria-hidden="true">
          {ticks.map((tick) => (
            <span key={tick}>{tick}</span>
          ))}
        </div>
      )}
    </figure>
  );
}

interface ColumnProps {
  readonly bar: Bar;
  readonly x: number;
  readonly highest: number;
}

function Column({ bar, x, highest }: ColumnProps) {
  const shown = bar.parts.filter(({ value }) => value > 0);
  const heights = shown.map(({ value }) => Math.max(leastHeight, (value / highest) * 97));
  const words = shown.map(({ value, name }) => `${value.toLocaleString("en")} ${name}`);
  return (
    <g>
      <title>{`${bar.label}: ${words.join(", ") || "none"}`}</title>
      <rect x={x} y="0" width={barWidth} height="100" fill="transparent" />
      {shown.map(({ tone, name }, index) => (
        <rect
          key={name}
          x={x + gap / 2}
          y={99 - sum(heights.slice(0, index + 1))}
          width={barWidth - gap}
          height={heights[index]}
          className={styles[tone]}
        />
      ))}
    </g>
  );
}

function total({ parts }: Bar): number {
  return sum(parts.map(({ value }) => value));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
