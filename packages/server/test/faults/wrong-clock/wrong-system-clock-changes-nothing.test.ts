import { testDatabases } from "../../../src/storage/postgres/testing/test-databases.ts";
import { wrongClockSuite } from "../../support/wrong-clock-suite.ts";
import { findLibfaketime } from "./find-libfaketime.ts";

const library = findLibfaketime();

wrongClockSuite(testDatabases(), (offsetMs) => ({
  LD_PRELOAD: library,
  FAKETIME: `${offsetMs < 0 ? "-" : "+"}${Math.abs(offsetMs) / 1_000}`,
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
  DONT_FAKE_MONOTONIC: "1",
  NO_FAKE_STAT: "1",
}));
