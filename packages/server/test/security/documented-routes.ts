import { apiDocument } from "../../src/app/reference/api-document.ts";

export interface DocumentedRoute {
  readonly operationId: string;
  readonly method: string;
  /** The path with its `{parameters}`. */
  readonly path: string;
  /** The parameters of the path. */
  readonly parameters: readonly string[];
  /** The parameters of the query. */
  readonly query: readonly string[];
  readonly needsBody: boolean;
  /** The kind of credential that the route takes. */
  readonly of: "account" | "operator" | "session" | "anybody";
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly required?: boolean };
}

/** Every route that the code describes, so that a suite that goes through them includes each new route. */
export const documentedRoutes: readonly DocumentedRoute[] = await readRoutes();

async function readRoutes(): Promise<DocumentedRoute[]> {
  const { paths } = JSON.parse(await apiDocument("0.0.0")) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      operationId: operation.operationId,
      method: method.toUpperCase(),
      path,
      parameters: namesIn(operation, "path"),
      query: namesIn(operation, "query"),
      needsBody: operation.requestBody?.required === true,
      of: ownerOf(operation),
    })),
  );
}

function namesIn({ parameters = [] }: Operation, place: string): string[] {
  return parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
}

function ownerOf({ security }: Operation): DocumentedRoute["of"] {
  if (security.length === 0) return "anybody";
  const takes = (name: string): boolean => security.some((scheme) => name in scheme);
  if (takes("session")) return "session";
  return takes("operatorKey") ? "operator" : "account";
}

/** The path with these values for its parameters. */
export function pathWith(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${path}: say what ${name} is to be`);
    return value;
  });
}
