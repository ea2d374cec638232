import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { playWorld, worldKinds } from "../simulation/play-world.ts";

const fresh = randomBytes(4).toString("hex");
const worldsOfEach = 60;

test.each(worldKinds)(`%s: fresh seeds ${fresh}-0 onwards keep every promise`, async (kind) => {
  for (let number = 0; number < worldsOfEach; number++) {
    const { why } = await playWorld(`${fresh}-${number}`, kind);
    expect(why).toBeUndefined();
  }
});
