import { join } from "node:path";

/** The program in the source tree, for tests that change the source on its way into a process. */
export const sourceBin = join(import.meta.dirname, "../../bin/postdate.js");

const built = process.env["POSTDATE_BUILT_FOR_TESTS"];

/** The program to start: as it is published where the test run has built it, otherwise from the source. */
export const postdateBin = built === undefined ? sourceBin : join(built, "bin/postdate.js");
