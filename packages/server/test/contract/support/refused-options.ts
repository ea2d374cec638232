export type RefusedOption = readonly [what: string, option: object, field: string, says: RegExp];

const named = (count: number, value: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, value]));

/** In the past, and before every delivery time that the tests use. */
const past = "2020-01-01T00:00:00Z";

const labels: readonly RefusedOption[] = [
  ["a ninth label", { labels: named(9, "v") }, "labels", /at most 8/],
  ["labels as a list", { labels: ["a"] }, "labels", /an object/],
  ["no labels at all", { labels: null }, "labels", /an object/],
  ["a label that is a number", { labels: { order: 4711 } }, "labels.order", /a string/],
  ["an empty label", { labels: { order: "" } }, "labels.order", /not be empty/],
  ["a label too long", { labels: { order: "v".repeat(101) } }, "labels.order", /at most 100/],
  ["a label with a line break", { labels: { order: "a\nb" } }, "labels.order", /control/],
  ["a label without a name", { labels: { "": "v" } }, "labels.", /a-z, 0-9/],
  ["a label with a capital", { labels: { Order: "v" } }, "labels.Order", /a-z, 0-9/],
  ["a label with a colon", { labels: { "a:b": "v" } }, "labels.a:b", /a-z, 0-9/],
  [
    "a label with a name too long",
    { labels: { ["n".repeat(41)]: "v" } },
    `labels.${"n".repeat(40)}`,
    /1 to 40/,
  ],
];

const retryPolicies: readonly RefusedOption[] = [
  ["no policy", { retryPolicy: null }, "retryPolicy", /an object/],
  ["no attempts", { retryPolicy: { maxAttempts: 0 } }, "retryPolicy.maxAttempts", /1 or more/],
  ["attempts too many", { retryPolicy: { maxAttempts: 101 } }, "retryPolicy.maxAttempts", /100/],
  [
    "a backoff of no kind",
    { retryPolicy: { backoff: { kind: "never" } } },
    "retryPolicy.backoff.kind",
    /"exponential" or "list"/,
  ],
  [
    "a backoff without delays",
    { retryPolicy: { backoff: { kind: "list", delaysMs: [] } } },
    "retryPolicy.backoff.delaysMs",
    /at least 1/,
  ],
  [
    "a backoff that shrinks",
    { retryPolicy: { backoff: { kind: "exponential", initialMs: 2, maxMs: 1 } } },
    "retryPolicy.backoff.maxMs",
    /not be less than initialMs/,
  ],
  [
    "a status that is none",
    { retryPolicy: { finalStatuses: [600] } },
    "retryPolicy.finalStatuses[0]",
    /599 or less/,
  ],
  ["a part that is none", { retryPolicy: { retries: 3 } }, "retryPolicy.retries", /Leave it out/],
];

/** A reschedule refuses these too. */
export const refusedBounds: readonly RefusedOption[] = [
  [
    "a bound in the past",
    { notAfter: past },
    "notAfter",
    /later than.*delivery time.*Give a later/,
  ],
  ["a bound that is no time", { notAfter: "18:00" }, "notAfter", /cannot be read.*RFC 3339/],
  ["a bound without an offset", { notAfter: "2999-02-01T00:00:00" }, "notAfter", /offset/],
  ["a bound that is a number", { notAfter: 1 }, "notAfter", /a string/],
  ["no time to start", { notAfterMs: 0 }, "notAfterMs", /1 or more/],
  ["a part of a millisecond", { notAfterMs: 1.5 }, "notAfterMs", /whole number/],
  ["a bound too far", { notAfterMs: 31_622_400_000_001 }, "notAfterMs", /31622400000000 or less/],
  [
    "two bounds",
    { notAfter: "2999-02-01T00:00:00Z", notAfterMs: 1 },
    "notAfterMs",
    /both.*Leave one/,
  ],
];

const headers: readonly RefusedOption[] = [
  ["a 21st header", { headers: named(21, "v") }, "headers", /at most 20/],
  ["headers as a list", { headers: ["x: y"] }, "headers", /an object/],
  ["no headers at all", { headers: null }, "headers", /an object/],
  ["a header that is a number", { headers: { "x-a": 1 } }, "headers.x-a", /a string/],
  [
    "headers of more than 4 KiB",
    { headers: { "x-a": "v".repeat(2_045), "x-b": "v".repeat(2_046) } },
    "headers",
    /at most 4096 characters together/,
  ],
  [
    "a header that frames",
    { headers: { "Content-Length": "1" } },
    "headers.Content-Length",
    /Remove/,
  ],
  ["a header of ours", { headers: { "Webhook-Id": "1" } }, "headers.Webhook-Id", /Remove/],
  ["a header of the kind", { headers: { "postdate-x": "1" } }, "headers.postdate-x", /Remove/],
  [
    "a content type as a header",
    { headers: { "Content-Type": "text/html" } },
    "headers.Content-Type",
    /Set contentType/,
  ],
  [
    "a header with a line break",
    { headers: { "x-a": "a\r\nb: c" } },
    "headers.x-a",
    /visible ASCII/,
  ],
  ["a header with a blank", { headers: { "x a": "v" } }, "headers.x a", /Use only letters/],
  [
    "a header twice",
    { headers: { "x-a": "1", "X-A": "2" } },
    "headers.X-A",
    /Give this header once/,
  ],
  [
    "a header as it is shown",
    { headers: { "x-a": "set" } },
    "headers.x-a",
    /Give the value itself/,
  ],
];

const others: readonly RefusedOption[] = [
  ["an empty content type", { contentType: "" }, "contentType", /not be empty/],
  ["a content type that is none", { contentType: "json" }, "contentType", /application\/json/],
  ["a content type too long", { contentType: `a/${"b".repeat(254)}` }, "contentType", /255/],
  ["no content type", { contentType: null }, "contentType", /a string/],
  ["a timeout too short", { timeoutMs: 99 }, "timeoutMs", /100 or more/],
  ["a timeout too long", { timeoutMs: 300_001 }, "timeoutMs", /300000 or less/],
  ["no timeout", { timeoutMs: null }, "timeoutMs", /whole number/],
  ["a window that ends early", { flexWindowMs: -1 }, "flexWindowMs", /0 or more/],
  ["a window of more than a day", { flexWindowMs: 86_400_001 }, "flexWindowMs", /86400000 or less/],
  ["a window that is a text", { flexWindowMs: "1" }, "flexWindowMs", /whole number/],
];

/** There is nothing to remove from a message that is new. */
const nullBounds: readonly RefusedOption[] = [
  ["no bound as a time", { notAfter: null }, "notAfter", /a string/],
  ["no bound as a number", { notAfterMs: null }, "notAfterMs", /whole number/],
];

export const refusedOptions: readonly RefusedOption[] = [
  ...labels,
  ...retryPolicies,
  ...refusedBounds,
  ...nullBounds,
  ...headers,
  ...others,
];
