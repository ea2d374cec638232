import { setTimeout as sleep } from "node:timers/promises";
import { openBrowser } from "../../packages/console/test/support/browser.ts";
import { key, laterGroup } from "./requests.ts";

type Browser = Awaited<ReturnType<typeof openBrowser>>;
type Page = Awaited<ReturnType<Browser["newPage"]>>;

/** A request of the console that the server has answered. */
export interface AskedByConsole {
  readonly path: string;
  readonly tookMs: number;
}

/** Without a request for so long, a page shows what there is. */
const quietMs = 250;
const betweenLooksMs = 25;
const scrolls = 4;

/** Somebody who looks at every page of the console. */
export class ConsoleTour implements AsyncDisposable {
  readonly asked: AskedByConsole[] = [];
  readonly #consoleUrl: string;
  readonly #page: Page;
  readonly #close: () => Promise<void>;
  readonly #refused: string[] = [];
  #underWay = 0;
  #changedAt = performance.now();

  static async begin(url: string): Promise<ConsoleTour> {
    const browser = await openBrowser();
    const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } });
    const tour = new ConsoleTour(`${url}/console`, page, () => browser.close());
    await page.goto(`${url}/console`);
    await page.getByLabel("API key").fill(key);
    await page.keyboard.press("Enter");
    await tour.#sees("Overview");
    return tour;
  }

  private constructor(consoleUrl: string, page: Page, close: () => Promise<void>) {
    this.#consoleUrl = consoleUrl;
    this.#page = page;
    this.#close = close;
    page.on("request", () => this.#count(1));
    page.on("requestfailed", () => this.#count(-1));
    page.on("requestfinished", (request) => {
      this.#count(-1);
      const { pathname, search } = new URL(request.url());
      if (!pathname.startsWith("/v1/")) return;
      const path = `${request.method()} ${pathname}${search}`;
      this.asked.push({ path, tookMs: request.timing().responseEnd });
    });
    page.on("response", (answer) => {
      if (answer.status() >= 400) this.#refused.push(`${answer.url()} ${answer.status()}`);
    });
  }

  /** Goes to every page, and does there what makes the server work. */
  async goRound(): Promise<void> {
    const page = this.#page;
    const targetId = `${laterGroup}-7`;
    await this.#goTo("/", "Overview");
    await this.#goTo("/messages", "Messages");
    for (let count = 0; count < scrolls; count++) {
      await page.locator("main li").last().scrollIntoViewIfNeeded();
      await this.#settles();
    }
    const searches = [
      `target:${targetId}`,
      "state:dead",
      "state:delivered",
      "label:kind=digest",
      `target:${targetId} due:7d`,
      "scheduled:1h",
    ];
    for (const search of searches) {
      await this.#goTo(`/messages?q=${encodeURIComponent(search)}`, "Messages");
    }
    await this.#goTo(`/messages?q=state:scheduled%20target:${targetId}`, "Messages");
    await page.getByRole("button", { name: "All that match…" }).click();
    await this.#settles();
    await page.keyboard.press("Escape");
    await page.locator("main a[data-index]").first().click();
    await this.#sees("Message");
    await page.getByRole("button", { name: "Open" }).click();
    await this.#settles();
    await this.#goTo("/targets", "Targets");
    for (const tab of ["health", "scheduled", "dead-letters", "settings"]) {
      await this.#goTo(`/targets/${targetId}?tab=${tab}`, targetId);
    }
    await this.#goTo("/dead-letters", "Dead letters");
    for (const days of [7, 14, 28]) await this.#goTo(`/forecast?days=${days}`, "Forecast");
    await page.getByRole("gridcell").last().click();
    await this.#settles();
    await this.#goTo(`/forecast?days=28&targetId=${targetId}`, "Forecast");
    for (const [path, title] of [
      ["/schedules", "Schedules"],
      ["/jobs", "Jobs"],
      ["/live", "Live"],
      ["/access", "Access"],
      ["/audit", "Audit log"],
      ["/usage", "Usage"],
      ["/nodes", "Nodes"],
    ] as const) {
      await this.#goTo(path, title);
    }
    if (this.#refused.length > 0) throw new Error(`refused: ${this.#refused.join(", ")}`);
  }

  async #goTo(path: string, title: string): Promise<void> {
    const url = JSON.stringify(this.#consoleUrl + path);
    await this.#page.evaluate(`history.pushState({}, "", ${url})`);
    await this.#sees(title);
  }

  async #sees(title: string): Promise<void> {
    await this.#page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    await this.#settles();
  }

  async #settles(): Promise<void> {
    const reading = this.#page.locator("[data-reading]");
    const isBusy = async (): Promise<boolean> =>
      this.#underWay > 0 ||
      performance.now() - this.#changedAt < quietMs ||
      (await reading.count()) > 0;
    while (await isBusy()) await sleep(betweenLooksMs);
  }

  #count(by: 1 | -1): void {
    this.#underWay += by;
    this.#changedAt = performance.now();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}
