import { CommandFailed } from "../failures/exit-codes.ts";
import { durationText } from "../terminal/duration-text.ts";

/** The options for the fields of the API. The innermost name of a path counts. */
const optionOf: Readonly<Record<string, string>> = {
  cron: "--cron",
  everyMs: "--every",
  timeZone: "--zone",
  startTime: "--start",
  endTime: "--end",
  except: "--except",
  maxRuns: "--max-runs",
  flexWindowMs: "--flex",
  overlap: "--overlap",
  catchUp: "--catch-up",
  pauseAfterDeadLetters: "--pause-after-dead-letters",
  targetId: "--target",
  notAfterMs: "--not-after",
  contentType: "--content-type",
  timeoutMs: "--timeout",
  maxAttempts: "--max-attempts",
  backoff: "--backoff",
  initialMs: "--backoff-start",
  factor: "--backoff-factor",
  maxMs: "--backoff-longest",
  jitter: "--jitter",
  finalStatuses: "--final-status",
  maxRetryAfterMs: "--max-retry-after",
  ratePerSecond: "--rate",
  idempotencyKey: "--idempotency-key",
};

/** These are words of other sentences, too: they count only where a sentence of the service names a field. */
const wordsToo: Readonly<Record<string, string>> = {
  at: "--at",
  from: "--from",
  to: "--to",
  until: "--until",
  note: "--note",
};

const names = Object.keys(optionOf).join("|");
/** With what is inside of it, unless that is a place in a list. */
const paths = new RegExp(
  `(?<![-\\w".])(?:(?:message|retryPolicy|backoff)\\.)*(?:${names})(?:\\.\\w+|\\[\\d+\\])*(?![-\\w"])`,
  "g",
);
const words = new RegExp(
  `(?<=^|\\bthan |\\band )(?:${Object.keys(wordsToo).join("|")})(?= must| has| cannot|[.,])`,
  "g",
);
/** Whose names callers choose. */
const entries = /\bmessage\.(label|header)s(?:\.([^\s)]+))?(?![\w.])/g;

/** The option for a field of the API; the path itself if there is none. */
export function optionFor(path: string): string {
  const [, kind, name] = /^message\.(label|header)s(?:\.(.+))?$/.exec(path) ?? [];
  if (kind !== undefined) return entryOption(kind, name);
  const parts = path.replaceAll(/\[\d+\]/g, "").split(".");
  const known = parts.findLast((part) => optionOf[part] ?? wordsToo[part]);
  return known === undefined ? path : (optionOf[known] ?? wordsToo[known]!);
}

/** What the service says of its fields, in options, for people at a terminal. */
export function inOptions(sentence: string): string {
  return sentence
    .replaceAll(entries, (_, kind: string, name?: string) => entryOption(kind, name))
    .replaceAll(paths, optionFor)
    .replaceAll(words, optionFor);
}

function entryOption(kind: string, name: string | undefined): string {
  return name === undefined ? `--${kind}` : `--${kind} ${name}`;
}

/** The same for the lines of a failure. For programs it stays as the service said it, and so do other failures. */
export function withOptionsNamed(error: unknown, reworded = inOptions): unknown {
  if (!(error instanceof CommandFailed)) return error;
  const lines = error.lines.map((line) => {
    const [, code = "", sentence = "", field] =
      /^(E-DI-\d+: )?(.*?)(?: \(([^()]+)\))?$/s.exec(line) ?? [];
    if (field === undefined) return code + reworded(sentence);
    const said = /Ms(?:\[\d+\])?$/.test(field) ? withDurations(sentence) : sentence;
    const [rewordedText, option] = [reworded(said), optionFor(field)];
    const isNamed = rewordedText.split(" ")[0] === option;
    return `${code}${rewordedText}${isNamed ? "" : ` (${option})`}`;
  });
  return new CommandFailed(error.exitCode, ...lines).because(error.problems);
}

/** People give durations, and the service gets milliseconds. */
function withDurations(sentence: string): string {
  return sentence.replaceAll(
    /\b(must be|which is) (\d+)\b/g,
    (_, verb: string, ms: string) => `${verb} ${durationText(Number(ms))}`,
  );
}
