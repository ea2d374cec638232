import type { Target } from "@postdate/client";
import { Option } from "commander";
import { parseDuration } from "../../config/durations.ts";
import { onOneLine } from "../terminal/aligned.ts";
import { durationText } from "../terminal/duration-text.ts";
import { headersOf } from "../input/header-lines.ts";
import { collect, readOption, readOrDefault } from "../input/read-option.ts";
import type { TargetKindCommands } from "./target-kind-commands.ts";

interface WebhookFlags {
  readonly header?: readonly string[];
  /** False removes all headers. */
  readonly headers?: boolean;
  readonly contentType?: string;
  readonly timeout?: string;
}

const headersTitle = "Headers";

export const webhook: TargetKindCommands = {
  kind: "webhook",
  receives: "messages to it are POSTed to the address",
  addressField: "url",
  addressTitle: "URL",
  finalStatuses: [410],
  addressOf: (target) => onOneLine((target as Target).url),

  flags: () => [
    new Option("--header <header>", "a header to send, as 'Name: value'; repeatable").argParser(
      collect,
    ),
    new Option("--content-type <type>", "default: text/plain; charset=utf-8"),
    new Option("--timeout <duration>", "how long an attempt may take (default: 15s)"),
  ],
  changeHelp: {
    flagsWithDefault: ["--content-type", "--timeout"],
    text: "The headers that are given replace all that there are, and values cannot be read back: 'Name: set' keeps the value that a header has. With an address of another scheme, host or port give the values again, or --no-headers: they are not sent elsewhere.",
    examples: [
      [
        "postdate target update billing --header 'X-A: new' --header 'X-B: set'",
        "one of two headers",
      ],
      ["postdate target update billing --rate none --no-headers", "without limit and headers"],
    ],
  },
  changeFlags: () => [new Option("--no-headers", "send no headers along").conflicts("header")],

  fieldsOf(options) {
    const { header, headers, contentType, timeout } = options as WebhookFlags;
    return {
      ...(header !== undefined && { headers: readOption("--header", "", () => headersOf(header)) }),
      ...(headers === false && { headers: null }),
      ...(contentType !== undefined && {
        contentType: readOrDefault("--content-type", contentType, (text) => text),
      }),
      ...(timeout !== undefined && {
        timeoutMs: readOrDefault("--timeout", timeout, parseDuration),
      }),
    };
  },

  /** Shows only the names of the headers, because their values may be credentials. */
  rowsOf(target) {
    const { url, contentType, headers, timeoutMs } = target as Target;
    const names = Object.keys(headers);
    return [
      ["URL", onOneLine(url)],
      ["Content type", onOneLine(contentType)],
      [headersTitle, names.length === 0 ? "none" : names.join(", ")],
      ["Timeout", durationText(timeoutMs)],
    ];
  },

  rewrittenRows: (options) =>
    (options as WebhookFlags).header === undefined ? [] : [headersTitle],
};
