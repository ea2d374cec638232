/** One thing that is wrong with a request. */
export interface ErrorObject {
  /** The stable code of the error. Programs should use this. */
  code: string;
  /** What is wrong and what to do about it, as text for people. */
  message: string;
  /** The field, parameter or header at fault, if there is one. */
  field?: string;
}

/** The codes of the service. `docs/reference/errors.md` explains each. */
export type ErrorCode =
  | "E-DI-1001"
  | "E-DI-1002"
  | "E-DI-1003"
  | "E-DI-2001"
  | "E-DI-2002"
  | "E-DI-2003"
  | "E-DI-2004"
  | "E-DI-3001"
  | "E-DI-3002"
  | "E-DI-3003"
  | "E-DI-3004"
  | "E-DI-3005"
  | "E-DI-4001"
  | "E-DI-4002"
  | "E-DI-4003"
  | "E-DI-4004"
  | "E-DI-4005"
  | "E-DI-5001"
  | "E-DI-5002"
  | "E-DI-5003"
  | "E-DI-5004"
  | "E-DI-5005"
  | "E-DI-5006"
  | "E-DI-5007"
  | "E-DI-5008"
  | "E-DI-6001"
  | "E-DI-6002"
  | "E-DI-6003"
  | "E-DI-6004"
  | "E-DI-6005"
  | "E-DI-7001"
  | "E-DI-7002"
  | "E-DI-7003"
  | "E-DI-7004"
  | "E-DI-8001"
  | "E-DI-8002"
  | "E-DI-8003"
  | "E-DI-8004"
  | "E-DI-8005"
  | "E-DI-9001"
  | "E-DI-9002"
  | "E-DI-9003";

/** The codes of the token endpoints, as in RFC 6749 and RFC 7009. */
export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_token_type"
  | "invalid_scope"
  | "temporarily_unavailable";
