import { Postdate } from "@postdate/client";
import { useSyncExternalStore } from "react";
import { serverUrl } from "../place.ts";

/** Undefined until somebody gives the operator's key. It is in this page's memory alone: reloading forgets it. */
let operator: Postdate | undefined;
const listeners = new Set<() => void>();

/** The operator belongs to no account and has no session, so the key itself goes with each call, and no cookie does. */
async function fetchWithKey(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.delete("user-agent");
  return fetch(url, { ...init, headers, credentials: "omit" });
}

export function useOperator(): Postdate | undefined {
  return useSyncExternalStore(subscribe, () => operator);
}

/** Resolves once the server has accepted the key. */
export async function becomeOperator(key: string): Promise<void> {
  const tried = new Postdate({ url: serverUrl, key, fetch: fetchWithKey, timeoutMs: 20_000 });
  await tried.accounts.list({ limit: 1 }).page();
  set(tried);
}

export function forgetOperator(): void {
  set(undefined);
}

function set(next: Postdate | undefined): void {
  operator = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
