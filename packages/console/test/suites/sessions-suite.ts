import { Postdate } from "@postdate/client";
import { expect, test, vi } from "vitest";
import {
  makeDataDir,
  operatorKey,
  rootKey,
  startServerProcess,
} from "../../../server/test/support/server-process.ts";
import { startPrefixProxy } from "../support/prefix-proxy.ts";
import type { Scene } from "../support/scene.ts";
import { Visitor } from "../support/visitor.ts";

export function describeSessions(scene: Scene): void {
  test("below the path of a proxy everything works, also a deep link", async () => {
    const { browser, service } = scene;
    await using proxy = await startPrefixProxy(service.url, "/tools/postdate");
    await using visitor = await Visitor.come({ browser, base: proxy.url });
    await visitor.signIn(rootKey);
    const { page } = visitor;
    await visitor.open(`/messages/${service.deadId}?zone=Asia/Tokyo`, "Message");
    await page.getByText("GMT+9").first().waitFor();
    await page.getByRole("link", { name: "Targets", exact: true }).click();
    await visitor.sees("Targets");
    expect(page.url()).toBe(`${proxy.url}/console/targets?zone=Asia%2FTokyo`);
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("the link of `postdate dev` signs in once, and leaves its code nowhere", async () => {
    const { browser } = scene;
    await using dataDir = await makeDataDir();
    const args = ["--receiver-port", "0"];
    const dev = await startServerProcess({ command: "dev", dataDir: dataDir.path, args });
    try {
      const linkIn = (text: string) => /Console +(\S+)/.exec(text)?.[1];
      const link = await vi.waitUntil(() => linkIn(dev.output()), { timeout: 60_000 });
      await using visitor = await Visitor.come({ browser, base: dev.url });
      const { page } = visitor;
      await page.goto(link);
      await visitor.sees("Overview");
      expect(page.url()).toBe(`${dev.url}/console/`);
      await visitor.settles();
      expect(visitor.takeComplaints()).toEqual([]);

      await using other = await Visitor.come({ browser, base: dev.url });
      await other.page.goto(link);
      await other.page.getByText("This link has signed in before").waitFor();
      expect(await other.page.context().cookies()).toEqual([]);
      expect(other.page.url()).not.toContain("pdl_");
    } finally {
      await dev.stop();
    }
  });

  test("a link with somebody's key signs nobody in, also not after signing out", async () => {
    const { browser, service } = scene;
    await using visitor = await Visitor.come({ browser, base: service.url });
    const { page } = visitor;
    await page.goto(`${service.url}/console/#key=${rootKey}`);
    await page.getByLabel("API key").waitFor();
    expect(page.url()).toBe(`${service.url}/console/`);
    expect(await page.context().cookies()).toEqual([]);
    await page.keyboard.type(rootKey);
    await visitor.press("Enter");
    await visitor.sees("Overview");
    await page.goto(`${service.url}/console/targets#key=${rootKey}`);
    await visitor.sees("Targets");
    await visitor.button("Account and appearance").click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
    expect((await page.context().cookies()).filter(({ value }) => value !== "")).toEqual([]);
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("a new account is shown its first steps, and nothing that is not its own", async () => {
    const { browser, service } = scene;
    const operator = new Postdate({ url: service.url, key: operatorKey });
    const { key, accountId } = await operator.accounts.create();
    await using visitor = await Visitor.come({ browser, base: service.url });
    await visitor.signIn(key);
    await visitor.page.getByText("Three commands to the first delivery").waitFor();
    await visitor.settles();
    const pages = visitor.page.getByRole("navigation").getByRole("link");
    expect(await pages.allInnerTexts()).not.toContain("Nodes");
    await visitor.goTo("/usage", "Usage");
    await visitor.page.getByText(accountId).first().waitFor();
    await visitor.settles();
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("whoever signs in next sees nothing of the account before", async () => {
    const { browser, service } = scene;
    const operator = new Postdate({ url: service.url, key: operatorKey });
    const { key } = await operator.accounts.create();
    const postdate = new Postdate({ url: service.url, key });
    await postdate.targets.create({ targetId: "their-own", url: "https://their.example" });
    await using visitor = await Visitor.come({ browser, base: service.url });
    const { page } = visitor;
    await visitor.signIn(key);
    await visitor.goTo("/targets", "Targets");
    await page.getByRole("link", { name: "their-own" }).waitFor();
    for (const { keyId } of await postdate.keys.list()) await postdate.keys.revoke(keyId);
    await visitor.button("Account and appearance").waitFor({ state: "detached" });
    const answers = Promise.withResolvers<void>();
    await page.route("**/v1/targets*", async (route) => {
      await answers.promise;
      await route.continue();
    });
    await page.getByLabel("API key").fill(rootKey);
    await visitor.press("Enter");
    await visitor.sees("Targets");
    expect(await page.getByRole("link", { name: "their-own" }).count()).toBe(0);
    answers.resolve();
    await page.getByRole("link", { name: "billing" }).waitFor();
  });

  test("a tab notices that another tab has signed in to another account", async () => {
    const { browser, service } = scene;
    const operator = new Postdate({ url: service.url, key: operatorKey });
    const { key, accountId } = await operator.accounts.create();
    await using visitor = await Visitor.come({ browser, base: service.url });
    await visitor.signIn(rootKey);
    await visitor.goTo("/usage", "Usage");
    await visitor.page.getByText("acc_default").first().waitFor();
    const other = await visitor.page.context().newPage();
    await other.goto(`${service.url}/console`);
    await other.getByRole("button", { name: "Account and appearance" }).click();
    await other.getByRole("menuitem", { name: "Sign out" }).click();
    await other.getByLabel("API key").fill(key);
    await visitor.page.getByLabel("API key").waitFor();
    await other.keyboard.press("Enter");
    await visitor.page.getByText(accountId).first().waitFor();
    expect(await visitor.page.getByText("acc_default").count()).toBe(0);
  });

  test("whoever signs out is out, and a wrong key is told", async () => {
    const { browser, service } = scene;
    await using visitor = await Visitor.come({ browser, base: service.url });
    await visitor.signIn(rootKey);
    const { page } = visitor;
    await visitor.button("Account and appearance").click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("API key").fill("pd_wrong_key_that_nobody_has");
    await visitor.press("Enter");
    await page.getByText("Check the key and try again.").waitFor();
    const cookies = await page.context().cookies();
    expect(cookies.filter(({ value }) => value !== "")).toEqual([]);
  });
}
