import type { AuditNote } from "../../../../domain/audit.ts";
import {
  changedEndpoint,
  createdEndpoint,
  mostEndpoints,
} from "../../../../domain/events/event-endpoint.ts";
import type {
  EndpointChange,
  EventEndpoint,
  NewEventEndpoint,
} from "../../../../domain/events/event-endpoint.ts";
import type {
  CreateEndpointResult,
  EventEndpointRef,
  UpdateEndpointResult,
} from "../../../store.ts";
import type { Context } from "../context.ts";

export function createEndpoint({ clock, accounts, endpoints, logHeads, audit }: Context) {
  return (order: NewEventEndpoint, note: AuditNote): CreateEndpointResult => {
    const accountKey = accounts.keyOf(order.accountId);
    if (accountKey === undefined) return { kind: "no-account" };
    const others = endpoints.ofAccount(order.accountId);
    if (others.some(({ endpointId }) => endpointId === order.endpointId)) return { kind: "exists" };
    if (others.length >= mostEndpoints) return { kind: "too-many" };
    const { last } = logHeads.spanOf(accountKey);
    const endpoint = createdEndpoint(order, last, clock.now());
    endpoints.insert(accountKey, endpoint);
    audit.write(note);
    return { kind: "created", endpoint };
  };
}

export function getEndpoint({ endpoints }: Context) {
  return (ref: EventEndpointRef): EventEndpoint | undefined => endpoints.find(ref)?.endpoint;
}

export function listEndpoints({ endpoints }: Context) {
  return (accountId: string): EventEndpoint[] => endpoints.ofAccount(accountId);
}

export function updateEndpoint({ clock, endpoints, audit }: Context) {
  return (
    ref: EventEndpointRef,
    change: EndpointChange,
    revision: number | null,
    note: AuditNote,
  ): UpdateEndpointResult => {
    const stored = endpoints.find(ref);
    if (stored === undefined) return { kind: "not-found" };
    const isOutdated = revision !== null && stored.endpoint.revision !== revision;
    if (isOutdated) return { kind: "changed-meanwhile" };
    const endpoint = changedEndpoint(stored.endpoint, change, clock.now());
    endpoints.update(stored, endpoint);
    audit.write(note);
    return { kind: "updated", endpoint };
  };
}

export function removeEndpoint({ endpoints, webhookBook, audit }: Context) {
  return (ref: EventEndpointRef, note: AuditNote): EventEndpoint | undefined => {
    const stored = endpoints.find(ref);
    if (stored === undefined) return undefined;
    endpoints.remove(stored);
    webhookBook.forget(ref);
    audit.write(note);
    return stored.endpoint;
  };
}
