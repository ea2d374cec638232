import { describe, expect, test } from "vitest";
import { parseCron } from "./parse-cron.ts";

/** The text is marked with a ^ before the character that is wrong. */
test.each([
  ["^5/10 * * * *", "write 5-59/10, or */10 for the whole minute field"],
  ["0 ^22/2 * * *", "write 22-23/2, or */2 for the whole hour field"],
  ["0 0 * ^MAR/2 *", "write MAR-DEC/2"],
  ["0 ^22-2 * * *", "write 22-23,0-2"],
  ["0 ^23-1 * * *", "write 23,0-1"],
  ["0 0 * ^NOV-JAN *", "write NOV-DEC,JAN"],
  ["0 0 * * ^FRI-MON", "write FRI-SAT,SUN-MON"],
  ["0 0 * * ^5-0", "write 5-7"],
  ["0 9 * * MON ^2027", "there is no field for the year"],
  ["0 0 9 * * MON ^2027", "there is no field for the year"],
  ["0 0 9 * * MON ^*", "there is no field for the year"],
  ["^@reboot", "nothing boots here"],
  ["^@every 5m", "use everyMs"],
  ["^@sometimes", "the names are @yearly, @annually"],
  ["@daily ^*", "nothing may follow @daily"],
  ["^CRON_TZ=Europe/Berlin 0 9 * * *", "name it in timeZone"],
  ["^TZ=UTC 0 9 * * *", "name it in timeZone"],
  ["^60 * * * *", "a minute is 0 to 59, not 60"],
  ["0 ^24 * * *", "an hour is 0 to 23, not 24"],
  ["^61 0 0 * * *", "a second is 0 to 59, not 61"],
  ["0 0 ^0 * *", "a day of month is 1 to 31, not 0"],
  ["0 0 1,^32 * *", "a day of month is 1 to 31, not 32"],
  ["0 0 ^32W * *", "a day of month is 1 to 31, not 32"],
  ["0 0 * ^13 *", "a month is 1 to 12, not 13"],
  ["0 0 * ^0 *", "a month is 1 to 12, not 0"],
  ["0 0 * * ^8", "a weekday is 0 to 7, not 8"],
  ["0 0 * * 1-^9", "a weekday is 0 to 7, not 9"],
  ["0 0 * ^FOO *", '"FOO" is no month: write JAN, FEB'],
  ["0 0 * * ^MONDAY", '"MONDAY" is no weekday: write MON'],
  ["0 0 * * ^XYZ", "write SUN, MON, TUE, WED, THU, FRI, SAT, or a number from 0 to 7"],
  ["0 ^MON * * *", '"MON" is no hour: write a number from 0 to 23'],
  ["0 ^? * * *", "only day of month and weekday may be ?"],
  ["0 ^L * * *", "only day of month and weekday have a last one"],
  ["^H * * * *", "there is no hash"],
  ["*/^0 * * * *", "a number from 1 to 59"],
  ["*/^90 * * * *", "use everyMs"],
  ["*/^x * * * *", "a number from 1 to 59"],
  ["*/5/^2 * * * *", "one step at most"],
  ["1-2-^3 * * * *", "one beginning and one end"],
  ["1,^ * * * *", "a minute is missing"],
  ["0 0 ^W * *", "W follows one day"],
  ["0 0 ^1-5W * *", "W follows one day"],
  ["0 0 ^L-3 * *", "L stands alone"],
  ["0 0 1,^? * *", "a ? stands alone"],
  ["0 0 * * ^L", "FRIL is the last Friday"],
  ["0 0 * * FRI#^6", "write #1 to #5"],
  ["0 0 * * FRI#^0", "write #1 to #5"],
  ["0 0 * * ^MON-FRI#2", "# takes one weekday: write each with its own, as in MON#2,TUE#2"],
  ["0 0 * * SUN,^1-5#2", "# takes one weekday"],
  ["0 0 * * ^*/2#1", "# takes one weekday"],
  ["0 0 ^+1 * MON", "at the beginning of the weekday field"],
  ["0 0 1 * MON,^+TUE", "at the beginning of the weekday field"],
  ["0 9 * *^", "it has 4 of the 5 fields minute, hour"],
  ["^", "it is empty"],
  ["0 ^٣ * * *", "is no hour"],
  ["0 ^-1 * * *", "an hour is missing"],
])("%s", (marked, hint) => {
  const parsed = parseCron(marked.replace("^", ""));
  expect(parsed).toEqual({
    ok: false,
    at: marked.indexOf("^"),
    reason: expect.stringContaining(hint) as unknown,
  });
});

describe("what is right", () => {
  test.each([
    ["  0\t9  * * 1-5 ", "0 9 * * MON-FRI"],
    ["@daily", "0 0 * * *"],
    ["@MIDNIGHT", "0 0 * * *"],
    ["@weekly", "0 0 * * SUN"],
    ["@monthly", "0 0 1 * *"],
    ["@yearly", "0 0 1 JAN *"],
    ["@annually", "0 0 1 1 *"],
    ["@hourly", "0 * * * *"],
    ["0 0 * * 7", "0 0 ? * sun"],
    ["0 0 * * FRI-SUN", "0 0 * * 0,5,6"],
    ["0 0 * * 5-7", "0 0 * * 0,5,6"],
    ["0 0 * * 0#2", "0 0 * * 7#2"],
    ["0 0 * * 5L", "0 0 * * fril"],
    ["0 0 0 lw * *", "0 0 LW * *"],
    ["05 09 1 jan-mar *", "5 9 1 1,2,3 *"],
  ])("%s means %s", (one, other) => {
    const [first, second] = [parseCron(one), parseCron(other)];
    expect(first.ok).toBe(true);
    expect(first).toEqual(second);
  });

  test.each([
    ["0 2,14 * * *", true],
    ["30 0 2 * * *", true],
    ["@daily", true],
    ["0 9-17 * * *", false],
    ["*/5 2 * * *", false],
    ["* 0 2 * * *", false],
    ["@hourly", false],
  ])("%s names times one by one: %s", (text, isFixed) => {
    expect(parseCron(text)).toMatchObject({ ok: true, cron: { isFixed } });
  });
});
