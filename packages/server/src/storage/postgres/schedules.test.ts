import { describeSchedules } from "../conformance/schedules/describe-schedules.ts";
import { clockedDatabases } from "./testing/clocked-databases.ts";

describeSchedules("postgres", clockedDatabases(), { shared: true });
