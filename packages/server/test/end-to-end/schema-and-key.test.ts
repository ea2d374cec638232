import { expect, test } from "vitest";
import { schemaSteps } from "../../src/storage/sqlite/database/migrate.ts";
import { runCommand } from "./support/run-command.ts";
import { makeDataDir, startServerProcess } from "../support/server-process.ts";

test("a server that must not upgrade the schema by itself starts only after an operator has", async () => {
  await using dataDir = await makeDataDir();
  const { path } = dataDir;
  const options = { dataDir: path, args: ["--schema-upgrade", "manual"] };
  const command = `schema upgrade --data-dir ${path}`;
  await expect(startServerProcess(options)).rejects.toThrow(
    `Cannot start: There is no schema yet, and this version needs ${schemaSteps().length}. ` +
      `Run \`postdate ${command}\``,
  );
  const upgraded = await runCommand(command.split(" ")).ended;
  expect(upgraded).toMatchObject({ code: 0, stderr: "" });
  const applied = schemaSteps().map(({ name }) => `Applied ${name}\n`);
  expect(upgraded.stdout).toContain(`${applied.join("")}The schema is up to date`);
  const server = await startServerProcess(options);
  const status = await runCommand(["schema", "status", "--data-dir", path]).ended;
  expect(status).toMatchObject({ code: 0, stderr: "" });
  expect(await server.stop()).toBe(0);
});

test("a server notices another encryption key even if nothing is sealed yet", async () => {
  await using dataDir = await makeDataDir();
  const options = { dataDir: dataDir.path };
  await (await startServerProcess(options)).stop();
  const env = { POSTDATE_ENCRYPTION_KEY: "00".repeat(32) };
  await expect(startServerProcess({ ...options, env })).rejects.toThrow(
    /encryption key does not fit the data/,
  );
  await (await startServerProcess(options)).stop();
});
