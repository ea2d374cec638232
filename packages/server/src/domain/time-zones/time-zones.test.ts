import { expect, test } from "vitest";
import { nextClockChange } from "./clock-change.ts";
import { TimeZones } from "./time-zones.ts";

test("a zone is found by its IANA name, in any case, and kept", () => {
  const zones = new TimeZones();
  const berlin = zones.find("Europe/Berlin");
  expect(berlin?.name).toBe("Europe/Berlin");
  expect(zones.find("europe/berlin")).toBe(berlin);
  expect(zones.find("UTC")?.offsetMsAt(0)).toBe(0);
});

test.each(["+01:00", "-0530", "Mars/Olympus", "", "CET-1CEST", "Europe/Berlin "])(
  "%j is no zone",
  (name) => {
    expect(new TimeZones().find(name)).toBeUndefined();
  },
);

test("a name with a letter of another alphabet is no zone, also if its small letter is the same", () => {
  const zones = new TimeZones();
  const kelvin = "\u212A";
  expect(`${kelvin}iev`.toLowerCase()).toBe("kiev");
  expect(zones.find("Europe/Kiev")).toBeDefined();
  expect(zones.find(`Europe/${kelvin}iev`)).toBeUndefined();
});

test("only the zones that were asked for lately are kept", () => {
  const zones = new TimeZones();
  const first = zones.find("Europe/Berlin");
  const other = zones.find("Europe/Paris");
  const names = Intl.supportedValuesOf("timeZone").filter((name) => !name.startsWith("Europe/"));
  for (const name of names.slice(0, 99)) {
    zones.find(name);
    expect(zones.find("Europe/Berlin")).toBe(first);
  }
  expect(zones.find("Europe/Paris")).not.toBe(other);
});

test("the next change of clocks is found, if there is one", () => {
  const zones = new TimeZones();
  const [after, before] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];
  expect(nextClockChange(zones.find("Australia/Lord_Howe")!, after, before)).toEqual({
    time: Date.UTC(2026, 3, 4, 15),
    beforeMs: 39_600_000,
    afterMs: 37_800_000,
  });
  expect(nextClockChange(zones.find("Asia/Kathmandu")!, after, before)).toBeUndefined();
  expect(nextClockChange(zones.find("UTC")!, after, before)).toBeUndefined();
});
