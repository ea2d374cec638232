import type { FastifyInstance, onRequestHookHandler } from "fastify";
import type { Permission } from "../../domain/access.ts";

/**
 * Who may call a route with a guard: a caller with the permission, the operator, a caller with a session (also
 * of a suspended account, to sign out), or a page of this server where somebody signs in.
 */
export type Guarded = Permission | "operator" | "session" | "signIn" | "signOut";

export type Guards = Readonly<Record<Guarded, onRequestHookHandler>>;

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * Who may call the route. The guard, the security in the OpenAPI document and the scope that a 403
     * names all follow from this.
     */
    readonly access: Guarded | "anyone";
  }
}

/** Every route with a guard is below this path, and no other route is. */
export const guardedPath = "/v1/";

/** Gives each route the guard that it declares. A route that declares no access stops the start. */
export function guardRoutes(app: FastifyInstance, guards: Guards): void {
  app.addHook("onRoute", (route) => {
    const { method, url } = route;
    const access = route.config?.access;
    if (access === undefined) {
      throw new Error(`${String(method)} ${url} must say in config.access who may call it`);
    }
    if ((access !== "anyone") !== url.startsWith(guardedPath)) {
      throw new Error(
        `${String(method)} ${url}: a route is below ${guardedPath} if it has a guard`,
      );
    }
    if (access !== "anyone") route.onRequest = guards[access];
  });
}
