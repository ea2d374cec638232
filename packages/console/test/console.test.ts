import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { testDatabases } from "../../server/src/storage/postgres/testing/test-databases.ts";
import { rootKey } from "../../server/test/support/server-process.ts";
import { describeAccess } from "./suites/access-suite.ts";
import { describeDialogs } from "./suites/dialogs-suite.ts";
import { describeForecast } from "./suites/forecast-suite.ts";
import { describeHostileText } from "./suites/hostile-suite.ts";
import { describeLive } from "./suites/live-suite.ts";
import { describeManyMessages } from "./suites/many-messages-suite.ts";
import { describeManyTargets } from "./suites/many-targets-suite.ts";
import { describeLooks, describePages } from "./suites/pages-suite.ts";
import { describeSchedules } from "./suites/schedules-suite.ts";
import { describeSessions } from "./suites/sessions-suite.ts";
import { describeTasks } from "./suites/tasks-suite.ts";
import { openBrowser } from "./support/browser.ts";
import { builtConsole } from "./support/built-console.ts";
import type { Scene } from "./support/scene.ts";
import { startStockedService, type StockedService } from "./support/stocked-service.ts";
import { Visitor } from "./support/visitor.ts";

/** A browser may have to be fetched first, and a test looks at many pages. */
const patiently = { timeout: 600_000 };

const makeDatabase = testDatabases();
let browser: Browser;
const services = {} as Record<"embedded" | "PostgreSQL", StockedService>;
beforeAll(async () => {
  await Promise.all([
    builtConsole(),
    openBrowser().then((opened) => (browser = opened)),
    startStockedService().then((started) => (services.embedded = started)),
    makeDatabase().then(async ({ url }) => {
      services.PostgreSQL = await startStockedService(url);
    }),
  ]);
}, patiently.timeout);
afterAll(async () => {
  await browser?.close();
  await Promise.all(Object.values(services).map((service) => service[Symbol.asyncDispose]()));
});

describe.each(["embedded", "PostgreSQL"] as const)("on the store %s", patiently, (store) => {
  const scene = {} as { -readonly [Part in keyof Scene]: Scene[Part] };
  beforeAll(async () => {
    const service = services[store];
    const visitor = await Visitor.come({ browser, base: service.url });
    Object.assign(scene, { browser, service, visitor });
    await visitor.signIn(rootKey);
  });

  // How something looks does not depend on the store. It is looked at first, before the tests fill the lists.
  if (store === "embedded") {
    describeLooks(scene);
    describeDialogs(scene);
    describeSessions(scene);
  } else {
    describePages(scene);
  }
  describeTasks(scene);
  describeManyMessages(scene);
  describeManyTargets(scene);
  describeSchedules(scene);
  describeForecast(scene);
  describeLive(scene);
  describeAccess(scene);
  describeHostileText(scene);
});
