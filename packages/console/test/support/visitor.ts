import type { Browser, BrowserContext, Page } from "playwright-core";
import { vi } from "vitest";

export interface VisitorOptions {
  readonly browser: Browser;
  /** Where the server is, with the path of a proxy if there is one. */
  readonly base: string;
  readonly width?: number;
}

export const wide = { width: 1_280, height: 800 };
export const narrow = { width: 400, height: 800 };

/** Somebody with a browser of their own, who notes what it complains about. */
export class Visitor implements AsyncDisposable {
  readonly base: string;
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #underWay = new Set<unknown>();
  #complaints: string[] = [];

  static async come({ browser, base, width = wide.width }: VisitorOptions): Promise<Visitor> {
    const context = await browser.newContext({
      viewport: { ...wide, width },
      reducedMotion: "reduce",
    });
    // It ends what hangs. A busy machine is slow.
    context.setDefaultTimeout(100_000);
    return new Visitor(base, context, await context.newPage());
  }

  private constructor(base: string, context: BrowserContext, page: Page) {
    this.base = base;
    this.page = page;
    this.#context = context;
    page.on("console", (line) => {
      if (line.type() === "error" || line.type() === "warning")
        this.#complaints.push(`${line.text()} ${line.location().url}`);
    });
    page.on("pageerror", (error) => this.#complaints.push(error.message));
    page.on("request", (request) => {
      this.#underWay.add(request);
      const url = request.url();
      if (!url.startsWith(base) && !url.startsWith("data:")) this.#complaints.push(`asked ${url}`);
    });
    for (const event of ["requestfinished", "requestfailed"] as const)
      page.on(event as "requestfinished", (request) => this.#underWay.delete(request));
  }

  /** Signs in with the keyboard alone. */
  async signIn(key: string): Promise<void> {
    await this.page.goto(`${this.base}/console`);
    await this.page.getByLabel("API key").waitFor();
    await this.page.keyboard.type(key);
    await this.page.keyboard.press("Enter");
    await this.sees("Overview");
  }

  /** Opens a page by its address. */
  async open(path: string, title: string): Promise<void> {
    await this.page.goto(`${this.base}/console${path}`);
    await this.sees(title);
  }

  /** Goes to a page as a link would, without loading the console anew. */
  async goTo(path: string, title: string): Promise<void> {
    const url = `${this.base}/console${path}`;
    await this.page.evaluate(`history.pushState({}, "", ${JSON.stringify(url)})`);
    await this.page.waitForURL(url);
    await this.sees(title);
  }

  async sees(title: string): Promise<void> {
    await this.page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
  }

  /** Resolves when nothing is being read any more, and the page shows what was. */
  async settles(): Promise<void> {
    const isReading = this.page.locator("[data-reading]");
    await vi.waitUntil(
      async () => {
        if (this.#underWay.size > 0 || (await isReading.count()) > 0) return false;
        // What has been read is drawn now, in its last colours.
        await this.#draws();
        return this.#underWay.size === 0 && (await isReading.count()) === 0;
      },
      { timeout: 60_000, interval: 20 },
    );
  }

  async #draws(): Promise<void> {
    await this.page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
  }

  /** As if the system were light or dark. */
  async prefers(scheme: "light" | "dark"): Promise<void> {
    await this.page.emulateMedia({ colorScheme: scheme });
    await this.page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
    await this.#draws();
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  button(name: string | RegExp) {
    return this.page.getByRole("button", { name, exact: true });
  }

  /** What the console says that it has done. */
  async isTold(text: string): Promise<void> {
    await this.page.getByRole("status").getByText(text).first().waitFor();
  }

  async isWiderThanScreen(): Promise<boolean> {
    return this.page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth");
  }

  /** Errors, warnings, what the policy refused, and requests to anybody else, since the last time. */
  takeComplaints(): readonly string[] {
    const complaints = this.#complaints;
    this.#complaints = [];
    return complaints;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
  }
}
