import { expect, test } from "vitest";
import { readSettings } from "./read-settings.ts";
import { settingsSummary } from "./settings-summary.ts";

test("the summary shows everything except secrets", () => {
  const rootKey = "pd_0123456789abcdef";
  const encryptionKey = Buffer.alloc(32, 7).toString("hex");
  const reading = readSettings({
    flags: { "--retention": "36h", "--allow-cidr": ["10.0.0.0/8"] },
    env: { POSTDATE_ROOT_KEY: rootKey, POSTDATE_ENCRYPTION_KEY: encryptionKey },
    readFile: () => "",
  });
  if (reading.kind !== "settings") throw new Error(reading.mistakes.join());
  const summary = settingsSummary(reading.settings);
  expect(summary).toMatchObject({
    host: "127.0.0.1",
    port: 7070,
    databaseUrl: "not set",
    role: "all",
    rootKey: "set",
    encryptionKey: "set",
    otherEncryptionKeys: "not set",
    retention: "1d12h",
    allowCidrs: ["10.0.0.0/8"],
  });
  const written = JSON.stringify(summary);
  expect(written).not.toContain(rootKey);
  expect(written).not.toContain(encryptionKey);
});
