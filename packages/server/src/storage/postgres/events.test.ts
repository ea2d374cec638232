import { describeEvents } from "../conformance/events/describe-events.ts";
import { clockedDatabases } from "./testing/clocked-databases.ts";

describeEvents("postgres", clockedDatabases(), { shared: true });
