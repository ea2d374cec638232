import { afterEach, expect, test } from "vitest";
import { sharedService } from "../../support/shared-service.ts";
import { listenersAre, readingService } from "./readers.ts";

/** This node answers one request at a time. */
const service = readingService(sharedService({ args: ["--max-requests", "1"] }));
afterEach(() => listenersAre(service, 0));

test("an open stream takes no place of a request", async () => {
  const stream = await service.stream();
  const number = await service.happen();
  expect(service.numbersIn(await stream.events(1))).toEqual([number]);
  expect((await service.api("GET", "/v1/targets")).status).toBe(200);
  await stream.close();
});

test("a call that waits takes none either, and gets one for its answer", async () => {
  const waiting = service.read("?waitMs=30000");
  await listenersAre(service, 1);
  const number = await service.happen();
  expect(service.numbersIn((await waiting).events)).toEqual([number]);
});
