import type { RequestTake, RequestTaken } from "../../store.ts";
import type { Context } from "./context.ts";

export function takeRequests({ clock, requests }: Context) {
  return (takes: readonly RequestTake[]): RequestTaken[] => {
    const now = clock.now();
    return takes.map((take) => requests.take(take, now));
  };
}
