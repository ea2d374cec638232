import { Postdate } from "@postdate/client";
import { serverUrl } from "../place.ts";
import { fetchWithCookie } from "./fetch-with-cookie.ts";

export const postdate = new Postdate({
  url: serverUrl,
  // The client wants one; it never leaves the page.
  key: "cookie",
  fetch: fetchWithCookie,
  timeoutMs: 20_000,
});
