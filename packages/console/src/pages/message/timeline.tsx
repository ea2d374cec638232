import type { Attempt, Message } from "@postdate/client";
import { useQuery } from "@tanstack/react-query";
import { attemptsQuery } from "../../api/queries.ts";
import { inertText } from "../../presentation/inert-text.ts";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { duration } from "../../time/time-text.ts";
import { Time } from "../../time/time.tsx";
import styles from "./timeline.module.css";

type Tone = "good" | "bad" | "wait" | "quiet";

interface Step {
  readonly id: string;
  readonly title: string;
  readonly at: string;
  readonly endsAt: string;
  readonly tone: Tone;
  readonly attempt?: Attempt;
}

/** From scheduled over its attempts to its end. Between two steps stands how long it waited. */
export function Timeline({ message }: { readonly message: Message }) {
  const { data: attempts, error, refetch } = useQuery(attemptsQuery(message.messageId));
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  const steps = stepsOf(message, attempts ?? []);
  const longestMs = Math.max(1, ...steps.map(lengthMs));
  return (
    <ol className={styles["steps"]}>
      {steps.map((step, index) => (
        <li key={step.id} className={styles["step"]} data-tone={step.tone}>
          {index > 0 && <Wait from={steps[index - 1]!.endsAt} to={step.at} />}
          <div className={styles["title"]}>
            {step.title}
            {step.attempt && <span className={styles["took"]}> {duration(lengthMs(step))}</span>}
          </div>
          {step.attempt && (
            <div className={styles["track"]} aria-hidden="true">
              <div
                className={styles["bar"]}
                style={{ width: `${Math.max(2, (lengthMs(step) / longestMs) * 100)}%` }}
              />
            </div>
          )}
          <Time at={step.at} withMs />
          {step.attempt?.error && <p className={styles["text"]}>{inertText(step.attempt.error)}</p>}
          {step.attempt?.response && (
            <pre
              className={styles["answer"]}
              tabIndex={0}
              role="region"
              aria-label={`The answer to attempt ${step.attempt.number}`}
            >
              {inertText(step.attempt.response)}
            </pre>
          )}
        </li>
      ))}
    </ol>
  );
}

function Wait({ from, to }: { readonly from: string; readonly to: string }) {
  const waitedMs = Date.parse(to) - Date.parse(from);
  return waitedMs >= 1 ? <div className={styles["wait"]}>{duration(waitedMs)} later</div> : null;
}

function lengthMs({ at, endsAt }: Step): number {
  return Date.parse(endsAt) - Date.parse(at);
}

function stepsOf(message: Message, attempts: readonly Attempt[]): Step[] {
  const step = (title: string, at: string | null, tone: Tone): Step[] =>
    at === null ? [] : [{ id: title, title, at, endsAt: at, tone }];
  return [
    ...step("Scheduled", message.schedulingTime, "quiet"),
    ...attempts.map((attempt): Step => {
      const { number, outcome, statusCode, startTime, endTime } = attempt;
      const answer = statusCode === null ? "" : `, ${statusCode}`;
      return {
        id: `attempt ${number}`,
        title: `Attempt ${number}: ${outcome.toLowerCase().replaceAll("_", " ")}${answer}`,
        at: startTime,
        endsAt: endTime,
        tone: outcome === "DELIVERED" ? "good" : "bad",
        attempt,
      };
    }),
    ...step("Became a dead letter", message.deadLetterTime, "bad"),
    ...step("Cancelled", message.cancellationTime, "quiet"),
    ...step(attempts.length === 0 ? "Due" : "Next attempt", message.nextDeliveryTime, "wait"),
  ];
}
