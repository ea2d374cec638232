import { styleText } from "node:util";
import { pino } from "pino";
import type { DestinationStream, Logger } from "pino";

export type { Logger } from "pino";

export interface LoggerOptions {
  readonly level: string;
  /** `auto`: lines for people on a terminal, JSON anywhere else. */
  readonly format: "auto" | "json" | "pretty";
  readonly stream: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Names under which a secret could slip into a log line. */
const redacted = [
  "authorization",
  "key",
  "secret",
  "payload",
  "headers",
  "*.authorization",
  "*.key",
  "*.secret",
  "*.payload",
  "*.headers",
];

export function createLogger({ level, format, stream }: LoggerOptions): Logger {
  const pretty = format === "pretty" || (format === "auto" && stream.isTTY === true);
  const destination: DestinationStream = pretty
    ? { write: (line) => void stream.write(forPeople(line)) }
    : stream;
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redacted, censor: "[redacted]" },
    },
    destination,
  );
}

const colours = {
  warn: "yellow",
  error: "red",
  fatal: "red",
  debug: "gray",
  trace: "gray",
} as const;

interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly msg?: string;
  readonly err?: { readonly stack?: string };
}

function forPeople(line: string): string {
  const { time, level, msg = "", err, ...rest } = JSON.parse(line) as LogLine;
  const clock = time.slice(11, 23);
  const label = level.padEnd(5);
  const colour = colours[level as keyof typeof colours];
  const details = Object.entries(rest)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
  const text = `${clock} ${colour ? styleText(colour, label) : label} ${msg}`;
  return `${[text, styleText("gray", details)].join(" ").trimEnd()}\n${err?.stack ? `${err.stack}\n` : ""}`;
}
