import type { Caller } from "../../domain/access.ts";
import type { PageTokens } from "../../domain/page-token.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Store } from "../../storage/store.ts";
import { defaultPageSize, makePage, readCursor } from "../paging/list-page.ts";
import type { Page } from "../paging/list-page.ts";
import { viewEndpoints } from "./endpoint-view.ts";
import type { EndpointView, ViewEndpointOptions } from "./endpoint-view.ts";

export interface ListEndpointsOptions extends ViewEndpointOptions {
  readonly store: Pick<Store, "listEndpoints" | "marksAt">;
  readonly pageTokens: PageTokens;
}

export interface EndpointListRequest {
  readonly pageToken?: string | undefined;
  readonly limit?: number | undefined;
  readonly problems?: readonly Problem[];
}

export async function listEventEndpoints(
  options: ListEndpointsOptions,
  { accountId }: Caller,
  { pageToken, limit = defaultPageSize, problems = [] }: EndpointListRequest,
): Promise<Page<EndpointView>> {
  const { store, pageTokens: tokens } = options;
  const walk = {
    ...{ accountId, operation: "event-endpoints", targetId: null },
    ...{ minTime: null, maxTime: null },
  };
  const cursor = readCursor(tokens, walk, pageToken, [...problems]);
  const all = await store.listEndpoints(accountId);
  const rest = all.filter(({ endpointId }) => cursor === null || endpointId > cursor);
  const found = await viewEndpoints(options, rest.slice(0, limit + 1));
  const cursorOf = ({ endpointId }: EndpointView): string => endpointId;
  return makePage({ tokens, walk, cursor, limit, found, cursorOf });
}
