import { describe } from "vitest";
import { sharedService } from "../../support/shared-service.ts";
import { longPollsSuite } from "./long-polls-suite.ts";
import { streamsSuite } from "./streams-suite.ts";

const service = sharedService();
describe("streams", () => streamsSuite(service));
describe("long polls", () => longPollsSuite(service));
