import { describe, expect, onTestFinished, test } from "vitest";
import type { TargetSettings } from "../../domain/target.ts";
import type { GivenSettings, TargetKind } from "../target-kind.ts";
import type { ConformanceSubject } from "./subject.ts";

const accountId = "acc_1";
const timeoutMs = 400;

/** Every string among the values, at any depth. */
export function textsOf(given: unknown): readonly string[] {
  if (typeof given === "string") return [given];
  return typeof given === "object" && given !== null ? Object.values(given).flatMap(textsOf) : [];
}

/** What every kind promises about its settings. */
export function testKindSettings<Settings extends TargetSettings>(
  name: string,
  subject: ConformanceSubject<Settings>,
): void {
  function open(): TargetKind<Settings> {
    const target = subject.create();
    onTestFinished(() => target.close());
    return target;
  }

  async function kept(target: TargetKind<Settings>): Promise<Settings> {
    const { given } = await subject.receive("accepts", timeoutMs);
    const all = { ...given, ...subject.confidential };
    const { settings, problems } = await target.complete(all, accountId);
    expect(problems).toEqual([]);
    return settings;
  }

  describe(`the settings of target kind ${name}`, () => {
    test("are complete, and the same after a trip through the store", async () => {
      const settings = await kept(open());
      expect(JSON.parse(JSON.stringify(settings))).toStrictEqual(settings);
    });

    test("are refused if they cannot work, and each problem names its field", async () => {
      expect(subject.badSettings.length).toBeGreaterThan(0);
      const target = open();
      const before = await kept(target);
      for (const given of subject.badSettings) {
        const made = await target.complete(given, accountId);
        const changed = await target.merge(before, given, accountId);
        for (const { problems } of [made, changed]) {
          expect(problems).not.toEqual([]);
          for (const { code, field, message } of problems) {
            expect(code).toMatch(/^E-DI-(1001|3005)$/);
            expect(field).toBeTruthy();
            expect(message).toBeTruthy();
          }
        }
      }
    });

    test("are refused if they belong to another kind", async () => {
      const target = open();
      const before = await kept(target);
      const foreign: GivenSettings = { fieldOfAnotherKind: 1, notGiven: undefined };
      const made = await target.complete({ ...before, ...foreign }, accountId);
      const changed = await target.merge(before, foreign, accountId);
      for (const { problems } of [made, changed]) {
        expect(problems).toMatchObject([{ code: "E-DI-1001", field: "fieldOfAnotherKind" }]);
      }
    });

    test("stay the same if a change names none", async () => {
      const target = open();
      const before = await kept(target);
      expect(await target.merge(before, {}, accountId)).toEqual({ settings: before, problems: [] });
    });

    test("are shown under the same names, without confidential values", async () => {
      const target = open();
      const before = await kept(target);
      const shown = target.view(before);
      expect(Object.keys(shown)).toEqual(Object.keys(before));
      for (const text of textsOf(subject.confidential)) {
        expect(JSON.stringify(before)).toContain(text);
        expect(JSON.stringify(shown)).not.toContain(text);
      }
    });

    test("stay the same when a caller writes back what it was shown", async () => {
      const target = open();
      const before = await kept(target);
      const { settings, problems } = await target.merge(before, target.view(before), accountId);
      expect({ settings, problems }).toEqual({ settings: before, problems: [] });
    });
  });
}
