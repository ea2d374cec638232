import { ApiError } from "@postdate/client";
import { useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect } from "react";
import { forgetOperator } from "./operator.ts";
import { getSession, signIn, signOut, type Session } from "./session-calls.ts";
import { onSessionEnd } from "./session-end.ts";

const sessionKey = ["session"];
/** The account that every server has. */
const defaultAccountId = "acc_default";
/** Which session this browser has. Without one nobody is asked, and no refused request is in its console. */
const storedAs = "postdate-signed-in";

/**
 * All tabs share one cookie. When another tab signs in or out, this one would show one account and change another, so it
 * begins anew.
 */
export function followOtherTabs(): void {
  addEventListener("storage", ({ key }) => {
    if (key === storedAs) location.reload();
  });
}

/** Nothing of one session is left for whoever signs in next. */
function forgetAllButSession(queries: QueryClient): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  forgetOperator();
}

/** Who is signed in; null: nobody. */
export function useSessionQuery() {
  const queries = useQueryClient();
  useEffect(
    () =>
      onSessionEnd(() => {
        // The answer of the session itself says the same in its own way.
        localStorage.removeItem(storedAs);
        if (!queries.getQueryData(sessionKey)) return;
        queries.setQueryData(sessionKey, null);
        forgetAllButSession(queries);
      }),
    [queries],
  );
  return useQuery({
    queryKey: sessionKey,
    queryFn: readSession,
    staleTime: Infinity,
  });
}

async function readSession(): Promise<Session | null> {
  if (localStorage.getItem(storedAs) === null) return null;
  try {
    return await getSession();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

export function useSignIn() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: signIn,
    onSuccess(session) {
      localStorage.setItem(storedAs, `${session.keyId} ${session.creationTime}`);
      forgetAllButSession(queries);
      queries.setQueryData(sessionKey, session);
    },
  });
}

export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: signOut,
    onSettled() {
      localStorage.removeItem(storedAs);
      queries.setQueryData(sessionKey, null);
      forgetAllButSession(queries);
    },
  });
}

const SessionContext = createContext<Session | null>(null);
export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("nobody is signed in here");
  return session;
}

/** What the session allows. The server refuses the rest as well. */
export function useScopes() {
  const { scopes, accountId } = useSession();
  const has = (...some: string[]): boolean => some.some((scope) => scopes.includes(scope as never));
  return {
    writeMessages: has("scheduler.all.readwrite", "scheduler.messages.readwrite"),
    readAll: has("scheduler.all.readwrite", "scheduler.all.read"),
    writeAll: has("scheduler.all.readwrite"),
    /** The server's processes are nobody's business but that of those who run it. */
    readNodes:
      accountId === defaultAccountId && has("scheduler.all.readwrite", "scheduler.all.read"),
  };
}
