import { codes } from "../../domain/refusals.ts";
import { CommandFailed, exitCodes, type Problem } from "../failures/exit-codes.ts";
import { innermostOf, networkTrouble } from "../failures/network-trouble.ts";

interface ApiRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The path below `/v1`. `path` has escaped the ids in it. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The message for a 404 without a body. */
  readonly missing?: string;
}

export interface Api {
  readonly url: string;
  /**
   * Returns the JSON of the answer; undefined if it has none. Throws `CommandFailed` unless the answer
   * is a success.
   */
  call<Answer>(request: ApiRequest): Promise<Answer>;
}

export interface ApiOptions {
  readonly url: string;
  readonly key: string;
  /** What to do if the service refuses the key. */
  readonly advice?: string;
  readonly fetch: typeof fetch;
}

/** Codes that mean that the named thing does not exist, with any status. */
const notFoundCodes = new Set<string>([
  codes.messageTargetNotFound,
  codes.targetNotFound,
  codes.messageNotFound,
]);

export function createApi({ url, key, advice = "Check the key.", fetch }: ApiOptions): Api {
  const base = url.replace(/\/+$/, "");
  return {
    url: base,
    async call<Answer>(request: ApiRequest) {
      const { method, query = {}, body, headers = {}, missing = "Not found" } = request;
      const address = new URL(`${base}/v1${request.path}`);
      for (const [name, value] of Object.entries(query)) {
        if (value !== undefined) address.searchParams.set(name, value);
      }
      const hasBody = body !== undefined;
      const { response, text } = await reach(base, async () => {
        const answer = await fetch(address, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            accept: "application/json",
            ...(hasBody ? { "content-type": "application/json" } : {}),
            ...headers,
          },
          ...(hasBody ? { body: JSON.stringify(body) } : {}),
          redirect: "error",
        });
        return { response: answer, text: await answer.text() };
      });
      const json = parseJson(text);
      if (!response.ok) {
        throw refusal({ base, advice, response, text, json, missing });
      }
      if (text !== "" && json === undefined) throw notPostdate(base, response.status);
      return json as Answer;
    },
  };
}

/** Builds a path from names and escapes each: `path("messages", id, "cancel")`. */
export function path(...names: readonly string[]): string {
  // URLs drop these names, escaped or not, so the path would lead elsewhere.
  const swallowed = names.find((name) => ["", ".", ".."].includes(name));
  if (swallowed !== undefined)
    throw new CommandFailed(exitCodes.usage, `"${swallowed}" is not an id.`);
  return names.map((name) => `/${encodeURIComponent(name)}`).join("");
}

/** Runs a call to an address. If nothing answers there, the error says so in one sentence. */
export async function reach<Answer>(
  url: string,
  talk: () => Promise<Answer>,
  listener = "postdate serve",
): Promise<Answer> {
  try {
    return await talk();
  } catch (error) {
    const trouble = networkTrouble(error) ?? messageOf(innermostOf(error));
    const hint = trouble === "nothing listens there" ? ` Is \`${listener}\` running?` : "";
    throw new CommandFailed(exitCodes.unreachable, `Cannot reach ${url}: ${trouble}.${hint}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

function parseJson(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null ? json : undefined;
  } catch {
    return undefined;
  }
}

interface BadAnswer {
  readonly base: string;
  readonly advice: string;
  readonly response: Response;
  readonly text: string;
  readonly json: unknown;
  readonly missing: string;
}

function refusal(answer: BadAnswer): CommandFailed {
  const { base, advice, response, text, json, missing } = answer;
  const problems = (json as { errors?: readonly Problem[] } | undefined)?.errors;
  if (problems === undefined) {
    if (response.status === 404 && text === "") {
      return new CommandFailed(exitCodes.notFound, missing);
    }
    return notPostdate(base, response.status);
  }
  const lines = problems.map(
    ({ code, message, field }) => `${code}: ${message}${field === undefined ? "" : ` (${field})`}`,
  );
  if (response.status === 401) lines.push(advice);
  const nothingThere =
    response.status === 404 || problems.some(({ code }) => notFoundCodes.has(code));
  const exitCode = nothingThere ? exitCodes.notFound : exitCodes.refused;
  return new CommandFailed(exitCode, ...lines).because(problems);
}

function notPostdate(base: string, status: number): CommandFailed {
  return new CommandFailed(
    exitCodes.unreachable,
    `${base} answered ${status} with something that is not from Postdate. Check --url or POSTDATE_URL.`,
  );
}
