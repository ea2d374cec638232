import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { targetKinds as schemas } from "@postdate/contract";
import { afterAll, expect, test } from "vitest";
import { targetKindCommands } from "../src/cli/target-kinds/kinds.ts";
import { attemptOutcomes } from "../src/domain/attempt.ts";
import { systemClock } from "../src/platform/clock.ts";
import { systemTimers } from "../src/platform/timers.ts";
import { createTargetKinds } from "../src/targets/kinds.ts";

/** Holds the list in CONTRIBUTING, "Add a target kind", true. */
const kinds = createTargetKinds({
  clock: systemClock,
  timers: systemTimers,
  allowCidrs: [],
  userAgent: "Postdate/test",
});
afterAll(() => kinds.close());

const packages = join(import.meta.dirname, "../..");
const targets = join(packages, "server/src/targets");
const names = kinds.all.map(({ kind }) => kind);

function filesIn(folder: string): string[] {
  return readdirSync(join(packages, folder)).filter((name) => !name.endsWith(".test.ts"));
}

test("each kind stands once in each of the three lists, in the same order", () => {
  expect(new Set(names).size).toBe(names.length);
  expect(schemas.map(({ kind }) => kind)).toEqual(names);
  expect(targetKindCommands.map(({ kind }) => kind)).toEqual(names);
  expect(kinds.byDefault.kind).toBe("webhook");
});

test("each kind has its folder, its schema file and its command file, and none is without a kind", () => {
  const folders = readdirSync(targets, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(folders.toSorted()).toEqual([...names, "conformance", "network"].toSorted());
  const ownFiles = names.map((name) => `${name}.ts`);
  expect(filesIn("contract/src/target-kinds").toSorted()).toEqual(
    [...ownFiles, "kinds.ts", "target-kind-schema.ts"].toSorted(),
  );
  expect(filesIn("server/src/cli/target-kinds").toSorted()).toEqual(
    [...ownFiles, "kinds.ts", "target-kind-commands.ts"].toSorted(),
  );
});

test.each(names)("%s is put to the conformance suite", (name) => {
  expect(readdirSync(join(targets, name))).toContain(`${name}-conformance.test.ts`);
});

test("schema and kind agree on what fails, what is signed and which settings there are", async () => {
  for (const [index, kind] of kinds.all.entries()) {
    const schema = schemas[index]!;
    expect(schema.failures).toEqual(Object.keys(kind.failures));
    expect(schema.signs).toBe(kind.signs);
    const { settings } = await kind.complete({}, "acc_1");
    expect(Object.keys(schema.shown)).toEqual(Object.keys(kind.view(settings)));
    expect(Object.keys(schema.given)).toEqual(Object.keys(settings));
    expect(Object.keys(schema.changed)).toEqual(Object.keys(settings));
    const commands = targetKindCommands[index]!;
    expect(Object.keys(settings)).toContain(commands.addressField);
    const final = Object.values(kind.failures).flatMap((each) =>
      typeof each === "string" ? [] : each.finalStatuses,
    );
    expect(commands.finalStatuses).toEqual(final);
  }
});

test("no shared file knows a kind by its name", () => {
  const src = join(packages, "server/src");
  // An event endpoint can be a webhook too, which says nothing about targets.
  const exclude = ["**/*.test.ts", "**/conformance/**", "**/events/**"];
  const shared = ["domain", "engine", "http", "operations", "storage"].flatMap((folder) =>
    globSync(`${folder}/**/*.ts`, { cwd: src, exclude }),
  );
  expect(shared.length).toBeGreaterThan(100);
  const quoted = new RegExp(`["'\`](?:${names.join("|")})["'\`]`);
  const knowing = shared.filter((path) =>
    quoted.test(withoutComments(readFileSync(join(src, path), "utf8"))),
  );
  expect(knowing).toEqual([]);
});

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "");
}

test("stores can record every failure, and none that no kind reports", () => {
  const reported = new Set<string>(kinds.all.flatMap(({ failures }) => Object.keys(failures)));
  const own = ["DELIVERED", "INTERRUPTED"];
  expect(attemptOutcomes.toSorted()).toEqual([...own, ...reported].toSorted());
});
