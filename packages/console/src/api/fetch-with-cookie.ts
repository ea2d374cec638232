import { sessionHasEnded } from "./session-end.ts";

/**
 * The browser proves itself with its cookie, and the server refuses a cookie beside a key. The header says that a page
 * of ours made the request: nobody else's page can send it.
 */
export async function fetchWithCookie(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.delete("authorization");
  headers.delete("user-agent");
  headers.set("postdate-console", "1");
  const answer = await fetch(url, { ...init, headers, credentials: "same-origin" });
  if (answer.status === 401) sessionHasEnded();
  return answer;
}
