import { edgeSuite } from "./edge-suite.ts";

edgeSuite(async () => ({}));
