import { expect, test } from "vitest";
import { cronWords } from "./cron-words.ts";

test.each([
  ["0 9 * * MON-FRI", "at 09:00, from Monday to Friday"],
  ["30 8,17 * * *", "at 08:30 and 17:30, every day"],
  ["15 30 8 * * *", "at 08:30:15, every day"],
  ["* * * * *", "every minute"],
  ["*/15 * * * *", "every 15 minutes"],
  ["0 * * * *", "every hour"],
  ["@hourly", "every hour"],
  ["@Weekly", "at 00:00, on Sunday"],
  ["@yearly", "at 00:00, on day 1 of the month, in January"],
  ["5,35 * * * *", "at minutes 5 and 35 of every hour"],
  [
    "*/10 9-17 * * 1-5",
    "every 10 minutes, in the hours from 09:00 to 17:00, from Monday to Friday",
  ],
  ["0 */6 * * *", "every 6 hours from 00:00"],
  ["*/30 * * * * *", "every 30 seconds"],
  ["* * * * * *", "every second"],
  ["0 0 L * *", "at 00:00, on the last day of the month"],
  ["0 0 LW * *", "at 00:00, on the last workday of the month"],
  [
    "0 0 1,15W 3-10 *",
    "at 00:00, on day 1 and the workday nearest to day 15 of the month, from March to October",
  ],
  ["0 0 * * FRI#2", "at 00:00, on the second Friday of the month"],
  ["0 0 * * FRIL", "at 00:00, on the last Friday of the month"],
  ["0 0 1 * MON", "at 00:00, on day 1 of the month or on Monday"],
  ["0 0 13 * +FRI", "at 00:00, on day 13 of the month if that is Friday"],
  ["0 12 ? JAN,JUL SUN", "at 12:00, on Sunday, in January and July"],
])("%s is %s", (expression, words) => {
  expect(cronWords(expression)).toBe(words);
});

test.each(["nonsense", "1 2 3", "0 9 * * FOO", "61-x * * * *", ""])(
  "%j has no words of its own",
  (expression) => {
    expect(cronWords(expression)).toBe(expression);
  },
);
