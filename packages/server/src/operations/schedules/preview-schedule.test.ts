import { expect, test } from "vitest";
import { TimeZones } from "../../domain/time-zones/time-zones.ts";
import { systemClock } from "../../platform/clock.ts";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import { systemRandom } from "../../platform/random.ts";
import { createSecretBox } from "../../platform/keyring.ts";
import { systemTimers } from "../../platform/timers.ts";
import { previewSchedule, schedulePreviewPlaces } from "./preview-schedule.ts";

test("a preview waits behind one of another account, however many that account has asked for", async () => {
  const options = {
    store: { getTarget: async () => undefined },
    secretBox: createSecretBox(systemRandom.bytes(32), systemRandom),
    timeZones: new TimeZones(),
    clock: systemClock,
    timers: systemTimers,
    schedulePreviews: new PlacesInTurn(schedulePreviewPlaces),
  };
  const answered: string[] = [];
  const preview = async (accountId: string): Promise<void> => {
    await previewSchedule(options, { accountId }, { cron: "* * * * *" });
    answered.push(accountId);
  };
  const asked = ["busy", "busy", "busy", "busy", "other", "another"];
  await Promise.all(asked.map(preview));
  expect(answered).toEqual(["busy", "busy", "other", "another", "busy", "busy"]);
});
