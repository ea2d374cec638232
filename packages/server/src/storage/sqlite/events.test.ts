import { describeEvents } from "../conformance/events/describe-events.ts";
import { clockedFolder } from "./testing/clocked-folder.ts";

describeEvents("sqlite", clockedFolder, { shared: false });
