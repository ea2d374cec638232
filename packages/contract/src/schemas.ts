import { Attempt, AttemptList } from "./attempts.ts";
import { ErrorObject, Errors } from "./errors.ts";
import { AccessKey, AccessKeyList, AccessKeyWithKey, CreateKey } from "./keys.ts";
import { MessagePage } from "./lists.ts";
import {
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

/** Every schema with a name, in the order in which the documentation lists them. */
export const namedSchemas = [
  Message,
  MessageState,
  ScheduleMessage,
  RescheduleMessage,
  MessagePayload,
  MessagePage,
  ScheduleBatch,
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
  Node,
  NodeList,
  NoBody,
  Health,
  Readiness,
  ErrorObject,
  Errors,
] as const;
