import { styleText } from "node:util";
import { pino } from "pino";
import type { DestinationStream } from "pino";
import type { LogLine } from "./log-lines.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { RepeatedTrouble } from "./repeated-trouble.ts";
import { systemTimers } from "./timers.ts";
import type { Timers } from "./timers.ts";

interface Write<Line extends string> {
  (fields: object, line: Line): void;
  (line: Line): void;
}

type Level = "debug" | "info" | "warn" | "error" | "fatal";

/** The one way to the log. It knows the lines of the service; those of a command are free text. */
export interface Logger<Line extends string = LogLine> extends Readonly<
  Record<Level, Write<Line>>
> {
  isLevelEnabled(level: Level): boolean;
}

/** A logger that its owner can end. */
export interface OwnLogger<Line extends string = LogLine> extends Logger<Line> {
  /** Writes what is only counted so far. */
  tellRepeated(): void;
}

/** `auto`: pretty lines on a terminal, JSON anywhere else. */
export type LogFormat = "auto" | "json" | "pretty";

export interface LogStream {
  readonly isTTY?: boolean;
  write(line: string): unknown;
}

export interface LoggerOptions {
  readonly level: string;
  readonly format: LogFormat;
  readonly stream: LogStream;
  /**
   * In every line of JSON. Pretty lines leave it out, because people at a terminal know what they
   * started.
   */
  readonly identity: ProcessIdentity;
  readonly timers?: Timers;
}

/** Field names under which a secret could get into a log line. */
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

export function isJsonLog(format: LogFormat, { isTTY }: Pick<LogStream, "isTTY">): boolean {
  return format === "json" || (format === "auto" && isTTY !== true);
}

/** Lines about errors at these levels are told once and then counted. A fatal line is always written. */
const counted: ReadonlySet<string | undefined> = new Set(["warn", "error"]);

export function createLogger<Line extends string = LogLine>({
  level,
  format,
  stream,
  identity,
  timers = systemTimers,
}: LoggerOptions): OwnLogger<Line> {
  const isJson = isJsonLog(format, stream);
  const destination: DestinationStream = {
    write: (line) => void stream.write(isJson ? escapeControls(line) : forPeople(line)),
  };
  const repeated = new RepeatedTrouble(timers);
  const logger = pino(
    {
      level,
      base: isJson ? { ...identity } : null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: toldOnce },
      redact: { paths: redacted, censor: "[redacted]" },
      hooks: {
        logMethod([fields, text], write, number) {
          const given: unknown = fields;
          const isCounted =
            typeof given === "object" &&
            given !== null &&
            "err" in given &&
            counted.has(pino.levels.labels[number]);
          if (!isCounted) return write.call(this, fields, text);
          const line = { level: number, text: String(text), error: given.err };
          return repeated.note(line, (times) =>
            write.call(this, times === undefined ? given : { ...given, repeated: times }, text),
          );
        },
      },
    },
    destination,
  );
  return Object.assign(logger as Logger<Line>, { tellRepeated: () => repeated.tellAll() });
}

/** The library adds the message of each cause. Many of our messages end with it already. */
function toldOnce(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const told = pino.stdSerializers.err(error);
  const { message, cause } = error;
  return cause instanceof Error && message.endsWith(cause.message) ? { ...told, message } : told;
}

/** Characters that end a line or control a terminal. JSON escapes only some of them. */
// oxlint-disable-next-line no-control-regex -- these are the characters to escape
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Leaves line feeds: they end the lines of the log itself. */
function escapeControls(text: string): string {
  return text.replace(controls, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Puts any text on one line. */
function onOneLine(text: string): string {
  return escapeControls(text).replaceAll("\n", escaped);
}

const colours = {
  warn: "yellow",
  error: "red",
  fatal: "red",
  debug: "gray",
  trace: "gray",
} as const;

interface WrittenLine {
  readonly time: string;
  readonly level: string;
  readonly msg?: string;
  readonly err?: { readonly stack?: string };
}

function forPeople(line: string): string {
  const { time, level, msg = "", err, ...rest } = JSON.parse(line) as WrittenLine;
  const clock = time.slice(11, 23);
  const label = level.padEnd(5);
  const colour = colours[level as keyof typeof colours];
  const details = Object.entries(rest)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
  const text = `${clock} ${colour ? styleText(colour, label) : label} ${onOneLine(msg)}`;
  const first = `${[text, styleText("gray", onOneLine(details))].join(" ").trimEnd()}\n`;
  return err?.stack === undefined ? first : first + indented(escapeControls(err.stack));
}

/** Indents every line, so that none of them can be mistaken for a log line. */
function indented(text: string): string {
  return text.replaceAll(/^/gm, "    ").concat("\n");
}
