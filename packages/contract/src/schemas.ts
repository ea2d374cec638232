import {
  Account,
  AccountPage,
  AccountWithKey,
  AccountWithUsage,
  CreateAccount,
  OwnAccount,
  UpdateAccount,
} from "./accounts.ts";
import { Attempt, AttemptList } from "./attempts.ts";
import { AuditEntry, AuditPage, OperatorAuditEntry, OperatorAuditPage } from "./audit.ts";
import {
  Client,
  ClientList,
  ClientWithSecret,
  CreateClient,
  RotateClientSecret,
} from "./clients.ts";
import { ErrorObject, Errors } from "./errors.ts";
import { AccessKey, AccessKeyList, AccessKeyWithKey, CreateKey } from "./keys.ts";
import { FoundMessagePage, MessagePage } from "./lists.ts";
import { DeadLetterReason } from "./message-options.ts";
import {
  BatchMessage,
  BatchResult,
  BatchResults,
  Message,
  MessagePayload,
  MessageState,
  RescheduleMessage,
  ScheduleBatch,
  ScheduleMessage,
} from "./messages.ts";
import { Node, NodeList } from "./nodes.ts";
import {
  AccessToken,
  AuthorizationServer,
  KeySet,
  OAuthErrorAnswer,
  RevocationRequest,
  Revoked,
  RotateSigningKey,
  SigningKey,
  SigningKeyList,
  TokenRequest,
} from "./oauth.ts";
import { RetryPolicy } from "./retry-policies.ts";
import { Health, NoBody, Readiness } from "./service.ts";
import {
  CreateTarget,
  RotateSecret,
  Target,
  TargetPage,
  TargetWithSecret,
  TestResult,
  TestTarget,
  UpdateTarget,
} from "./targets.ts";
import { Usage } from "./usage.ts";

/** All named schemas, in the order of the documentation. */
export const namedSchemas = [
  Message,
  MessageState,
  DeadLetterReason,
  ScheduleMessage,
  RescheduleMessage,
  MessagePayload,
  MessagePage,
  FoundMessagePage,
  ScheduleBatch,
  BatchMessage,
  BatchResult,
  BatchResults,
  Attempt,
  AttemptList,
  Target,
  TargetWithSecret,
  TargetPage,
  RetryPolicy,
  CreateTarget,
  UpdateTarget,
  RotateSecret,
  TestTarget,
  TestResult,
  AccessKey,
  AccessKeyWithKey,
  AccessKeyList,
  CreateKey,
  Client,
  ClientWithSecret,
  ClientList,
  CreateClient,
  RotateClientSecret,
  TokenRequest,
  AccessToken,
  RevocationRequest,
  Revoked,
  OAuthErrorAnswer,
  AuthorizationServer,
  KeySet,
  SigningKey,
  SigningKeyList,
  RotateSigningKey,
  OwnAccount,
  Usage,
  AuditEntry,
  AuditPage,
  Account,
  AccountWithUsage,
  AccountWithKey,
  AccountPage,
  CreateAccount,
  UpdateAccount,
  OperatorAuditEntry,
  OperatorAuditPage,
  Node,
  NodeList,
  NoBody,
  Health,
  Readiness,
  ErrorObject,
  Errors,
] as const;
