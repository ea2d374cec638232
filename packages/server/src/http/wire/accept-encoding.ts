/** In the order in which they are preferred where the caller has no preference. */
const encodings = ["br", "gzip", "identity"] as const;

export type Encoding = (typeof encodings)[number];

/** What to send to a caller with this `Accept-Encoding` (RFC 9110, section 12.5.3). */
export function chooseEncoding(header: string | undefined): Encoding {
  const weights = readWeights(header ?? "");
  let chosen: Encoding = "identity";
  let best = 0;
  for (const encoding of encodings) {
    const weight = weights.get(encoding) ?? defaultWeight(encoding, weights);
    if (weight > best) {
      chosen = encoding;
      best = weight;
    }
  }
  return chosen;
}

/** Plain bytes need not be named, but are not wanted where something named can be had. */
function defaultWeight(encoding: Encoding, weights: ReadonlyMap<string, number>): number {
  if (encoding === "identity") return Number.MIN_VALUE;
  return weights.get("*") ?? 0;
}

function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    weights.set(coding === "x-gzip" ? "gzip" : coding, readWeight(parameters));
  }
  return weights;
}

/** A weight that cannot be read counts as none at all: plain bytes are always understood. */
function readWeight(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith("q="));
  if (given === undefined) return 1;
  const weight = given.slice(2);
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
}
