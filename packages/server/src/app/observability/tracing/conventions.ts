/**
 * Every name that spans have, in one place: the names that OpenTelemetry has agreed on for HTTP and for messaging, and
 * ours, which begin with `postdate.`.
 */
export const conventions = {
  errorType: "error.type",
  httpRequestMethod: "http.request.method",
  httpResponseStatusCode: "http.response.status_code",
  httpRoute: "http.route",
  urlPath: "url.path",
  urlScheme: "url.scheme",
  messagingSystem: "messaging.system",
  messagingOperationName: "messaging.operation.name",
  messagingOperationType: "messaging.operation.type",
  messagingDestinationName: "messaging.destination.name",
  messagingMessageId: "messaging.message.id",
  messagingMessageBodySize: "messaging.message.body.size",
  serviceName: "service.name",
  serviceVersion: "service.version",
  serviceInstanceId: "service.instance.id",
  accountId: "postdate.account.id",
  attemptNumber: "postdate.attempt.number",
  attemptOutcome: "postdate.attempt.outcome",
  latenessMs: "postdate.lateness_ms",
} as const;

/** What `messaging.system` and `service.name` say. */
export const systemName = "postdate";
/** What the service does with a message: `messaging.operation.name`. */
export const deliverName = "deliver";
/** The kind of that, of which the conventions know a few: `messaging.operation.type`. */
export const deliverType = "send";
