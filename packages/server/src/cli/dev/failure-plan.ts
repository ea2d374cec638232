/** How many more deliveries fail, and with which status. */
export interface FailurePlan {
  remaining: number;
  status: number;
}

export const mostFailures = 1_000_000;

/** `POST /fail?count=3&status=503`. A count of 0 ends the failures. */
export function failNext(
  plan: FailurePlan,
  query: URLSearchParams,
): { readonly status: number; readonly text: string } {
  const count = query.get("count") ?? "1";
  const status = query.get("status") ?? "503";
  if (!/^\d{1,7}$/.test(count) || Number(count) > mostFailures) {
    return { status: 400, text: `count must be a whole number from 0 to ${mostFailures}` };
  }
  if (!/^[345]\d\d$/.test(status)) {
    return { status: 400, text: "status must be a number from 300 to 599" };
  }
  plan.remaining = Number(count);
  plan.status = Number(status);
  return { status: 200, text: describePlan(plan) };
}

function describePlan({ remaining, status }: FailurePlan): string {
  if (remaining === 0) return "Deliveries are answered with 200 again.";
  const which = remaining === 1 ? "The next delivery is" : `The next ${remaining} deliveries are`;
  return `${which} answered with ${status}.`;
}
