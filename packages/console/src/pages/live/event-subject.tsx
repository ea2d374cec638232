import type { PostdateEvent } from "@postdate/client";
import { Link } from "@tanstack/react-router";
import { inertText } from "../../presentation/inert-text.ts";
import { isKnownType } from "./event-types.ts";
import { shortType } from "./event-words.ts";

/** What an event is about, with a link to its page. */
export function EventSubject({ event }: { readonly event: PostdateEvent }) {
  if (!isKnownType(shortType(event))) return inertText(event.subject);
  const { message, schedule, job, target } = event.data;
  if (message) {
    const { messageId } = message;
    return (
      <Link to="/messages/$messageId" params={{ messageId }}>
        {messageId}
      </Link>
    );
  }
  if (schedule) {
    const { scheduleId } = schedule;
    return (
      <Link to="/schedules/$scheduleId" params={{ scheduleId }}>
        {scheduleId}
      </Link>
    );
  }
  if (job) {
    const { jobId } = job;
    return (
      <Link to="/jobs/$jobId" params={{ jobId }}>
        {jobId}
      </Link>
    );
  }
  if (target) return target.targetId;
  return inertText(event.subject);
}
