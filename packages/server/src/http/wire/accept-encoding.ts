/** The server's order of preference, used if the caller has none. */
const encodings = ["br", "gzip", "identity"] as const;

export type Encoding = (typeof encodings)[number];

/** Chooses the encoding for a caller with this `Accept-Encoding` (RFC 9110, section 12.5.3). */
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

/** Plain bytes are acceptable even if the header does not name them. Anything it names comes first. */
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

/** A malformed weight counts as 0. The caller then gets plain bytes, which every caller understands. */
function readWeight(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith("q="));
  if (given === undefined) return 1;
  const weight = given.slice(2);
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
}
