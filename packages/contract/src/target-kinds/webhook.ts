import { Type } from "../type.ts";
import { orNull, type TargetKindSchema } from "./target-kind-schema.ts";

const url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description:
    "The address that attempts are sent to, by POST. Private and special addresses are refused.",
  examples: ["https://shop.example.com/hooks/orders"],
});
const headers = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: Type.String({ maxLength: 4_096 }),
  maxProperties: 32,
  description:
    'Headers that every attempt carries besides those of the service, with at most 8,192 characters in all names and values. The values are stored sealed and never shown. The value `"set"` is refused.',
  examples: [{ "x-shop": "berlin" }],
});
const shownHeaders = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: Type.String(),
  description:
    'Headers that every attempt carries besides those of the service. Their values are never shown: each is `"set"`.',
  examples: [{ authorization: "set" }],
});
const newHeaders = {
  ...headers,
  description:
    'Replaces all headers, which have at most 8,192 characters in all names and values. The value `"set"` keeps the current value of a header; it is refused if the header has none. Headers that are left out are removed; null removes all. If the new `url` has another scheme, host or port, no value is kept: send the headers again, or `{}`.',
  examples: [{ authorization: "set", "x-shop": "berlin" }],
};
const contentType = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "The `Content-Type` of every attempt; `text/plain; charset=utf-8` by default.",
});
const timeoutMs = Type.Integer({
  minimum: 100,
  maximum: 300_000,
  description: "How long one attempt may take; 15,000 by default.",
});

export const webhook = {
  kind: "webhook",
  signs: true,
  failures: [
    "BAD_STATUS",
    "TIMEOUT",
    "CONNECTION_FAILED",
    "DNS_FAILED",
    "TLS_FAILED",
    "ADDRESS_REFUSED",
    "MISCONFIGURED",
  ],
  shown: {
    url,
    headers: shownHeaders,
    contentType: Type.String({ description: "The `Content-Type` of every attempt." }),
    timeoutMs: Type.Integer({ description: "How long one attempt may take." }),
  },
  given: {
    url,
    headers: Type.Optional(headers),
    contentType: Type.Optional(contentType),
    timeoutMs: Type.Optional(timeoutMs),
  },
  changed: {
    url: Type.Optional(url),
    headers: orNull(newHeaders),
    contentType: orNull(contentType),
    timeoutMs: orNull(timeoutMs),
  },
  examples: {
    given: { url: "https://shop.example.com/hooks/orders" },
    changed: { timeoutMs: 5000 },
  },
} as const satisfies TargetKindSchema;
