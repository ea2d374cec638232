import type { Browser } from "playwright-core";
import type { StockedService } from "./stocked-service.ts";
import type { Visitor } from "./visitor.ts";

/** What every suite gets. The parts are there from the first test on. */
export interface Scene {
  readonly browser: Browser;
  readonly service: StockedService;
  /** Signed in with the root key. */
  readonly visitor: Visitor;
}
