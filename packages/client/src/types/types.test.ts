import type * as contract from "@postdate/contract";
import type { Static } from "typebox";
import { expect, test } from "vitest";
import type { MessageInput, Page } from "../index.ts";
import type * as client from "../index.ts";

/** The same type without intersections, interfaces and `readonly`, so that two spellings are equal. */
type Plain<Type> = Type extends readonly (infer Item)[]
  ? Plain<Item>[]
  : Type extends object
    ? { -readonly [Field in keyof Type]: Plain<Type[Field]> }
    : Type;

/** Two conditional types are assignable only if what they compare with is identical. */
// oxlint-disable typescript/no-unnecessary-type-parameters
type Same<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;
// oxlint-enable typescript/no-unnecessary-type-parameters

/** Does not compile unless each entry is true. */
type All<Checks extends Record<string, true>> = Checks;

type Codes = (typeof contract.errorCodeRegistry)[keyof typeof contract.errorCodeRegistry]["code"];

/** Each type of the client, and the schema of the contract that it must equal in both directions. */
type Equal = All<{
  Message: Same<client.Message, Static<typeof contract.Message>>;
  DeadLetterReason: Same<client.DeadLetterReason, Static<typeof contract.DeadLetterReason>>;
  KeyOutcome: Same<client.KeyOutcome, Static<typeof contract.KeyOutcome>>;
  MessageState: Same<client.MessageState, Static<typeof contract.MessageState>>;
  Attempt: Same<client.Attempt, Static<typeof contract.Attempt>>;
  BatchMessage: Same<client.BatchMessage, Static<typeof contract.BatchMessage>>;
  BatchResult: Same<client.BatchResult, Static<typeof contract.BatchResult>>;
  MessagePage: Same<Page<client.Message>, Static<typeof contract.MessagePage>>;
  FoundMessagePage: Same<
    Page<client.Message> & client.SearchProgress,
    Static<typeof contract.FoundMessagePage>
  >;
  Job: Same<client.Job, Static<typeof contract.Job>>;
  JobPage: Same<Page<client.Job>, Static<typeof contract.JobPage>>;
  JobPreview: Same<client.JobPreview, Static<typeof contract.JobPreview>>;
  JobFilter: Same<client.JobFilter, Static<typeof contract.GivenJobFilter>>;
  CreateJob: Same<client.CreateJob, Static<typeof contract.CreateJob>>;
  RedriveDeadLetters: Same<client.RedriveDeadLetters, Static<typeof contract.RedriveDeadLetters>>;
  Schedule: Same<client.Schedule, Static<typeof contract.Schedule>>;
  ListedSchedule: Same<client.ListedSchedule, Static<typeof contract.ListedSchedule>>;
  SchedulePage: Same<Page<client.ListedSchedule>, Static<typeof contract.SchedulePage>>;
  CreateSchedule: Same<client.CreateSchedule, Static<typeof contract.CreateSchedule>>;
  PutSchedule: Same<client.PutSchedule, Static<typeof contract.PutSchedule>>;
  UpdateSchedule: Same<client.UpdateSchedule, Static<typeof contract.UpdateSchedule>>;
  PauseSchedule: Same<client.PauseSchedule, Static<typeof contract.PauseSchedule>>;
  BackfillSchedule: Same<client.BackfillSchedule, Static<typeof contract.BackfillSchedule>>;
  BackfillPreview: Same<client.BackfillPreview, Static<typeof contract.BackfillPreview>>;
  ScheduleRun: Same<client.ScheduleRun, Static<typeof contract.ScheduleRun>>;
  ScheduleRunPage: Same<Page<client.ScheduleRun>, Static<typeof contract.ScheduleRunPage>>;
  PreviewSchedule: Same<client.PreviewSchedule, Static<typeof contract.PreviewSchedule>>;
  Occurrence: Same<client.Occurrence, Static<typeof contract.Occurrence>>;
  Count: Same<client.Count, Static<typeof contract.Count>>;
  Stats: Same<client.Stats, Static<typeof contract.Stats>>;
  Activity: Same<client.Activity, Static<typeof contract.Activity>>;
  Forecast: Same<client.Forecast, Static<typeof contract.Forecast>>;
  DeadLetterGroup: Same<client.DeadLetterGroup, Static<typeof contract.DeadLetterGroup>>;
  DeadLetterGroupList: Same<
    client.DeadLetterGroupList,
    Static<typeof contract.DeadLetterGroupList>
  >;
  Event: Same<client.PostdateEvent, Static<typeof contract.Event>>;
  ReadEvent: Same<client.ReadEvent, Static<typeof contract.ReadEvent>>;
  EventList: Same<client.EventList, Static<typeof contract.EventList>>;
  EventEndpoint: Same<client.EventEndpoint, Static<typeof contract.EventEndpoint>>;
  EventEndpointWithSecret: Same<
    client.EventEndpointWithSecret,
    Static<typeof contract.EventEndpointWithSecret>
  >;
  EventEndpointPage: Same<Page<client.EventEndpoint>, Static<typeof contract.EventEndpointPage>>;
  CreateEventEndpoint: Same<
    client.CreateEventEndpoint,
    Static<typeof contract.CreateEventEndpoint>
  >;
  UpdateEventEndpoint: Same<
    client.UpdateEventEndpoint,
    Static<typeof contract.UpdateEventEndpoint>
  >;
  RewindEventEndpoint: Same<
    client.RewindEventEndpoint,
    Static<typeof contract.RewindEventEndpoint>
  >;
  EventTestResult: Same<client.EventTestResult, Static<typeof contract.EventTestResult>>;
  Target: Same<client.Target, Static<typeof contract.Target>>;
  TargetWithSecret: Same<client.TargetWithSecret, Static<typeof contract.TargetWithSecret>>;
  TargetPage: Same<Page<client.Target>, Static<typeof contract.TargetPage>>;
  RetryPolicy: Same<client.RetryPolicy, Static<typeof contract.RetryPolicy>>;
  CreateTarget: Same<client.CreateTarget, Static<typeof contract.CreateTarget>>;
  UpdateTarget: Same<client.UpdateTarget, Static<typeof contract.UpdateTarget>>;
  RotateSecret: Same<client.RotateSecret, Static<typeof contract.RotateSecret>>;
  TestTarget: Same<client.TestTarget, Static<typeof contract.TestTarget>>;
  TestResult: Same<client.TestResult, Static<typeof contract.TestResult>>;
  AccessKey: Same<client.AccessKey, Static<typeof contract.AccessKey>>;
  AccessKeyWithKey: Same<client.AccessKeyWithKey, Static<typeof contract.AccessKeyWithKey>>;
  CreateKey: Same<client.CreateKey, Static<typeof contract.CreateKey>>;
  Client: Same<client.Client, Static<typeof contract.Client>>;
  ClientWithSecret: Same<client.ClientWithSecret, Static<typeof contract.ClientWithSecret>>;
  CreateClient: Same<client.CreateClient, Static<typeof contract.CreateClient>>;
  RotateClientSecret: Same<client.RotateClientSecret, Static<typeof contract.RotateClientSecret>>;
  AccessToken: Same<client.AccessToken, Static<typeof contract.AccessToken>>;
  AuthorizationServer: Same<
    client.AuthorizationServer,
    Static<typeof contract.AuthorizationServer>
  >;
  KeySet: Same<client.KeySet, Static<typeof contract.KeySet>>;
  SigningKey: Same<client.SigningKey, Static<typeof contract.SigningKey>>;
  Encryption: Same<client.Encryption, Static<typeof contract.Encryption>>;
  EncryptionKeyUse: Same<client.EncryptionKeyUse, Static<typeof contract.EncryptionKeyUse>>;
  RotateSigningKey: Same<client.RotateSigningKey, Static<typeof contract.RotateSigningKey>>;
  OwnAccount: Same<client.OwnAccount, Static<typeof contract.OwnAccount>>;
  Account: Same<client.Account, Static<typeof contract.Account>>;
  AccountPage: Same<Page<client.Account>, Static<typeof contract.AccountPage>>;
  AccountWithUsage: Same<client.AccountWithUsage, Static<typeof contract.AccountWithUsage>>;
  AccountWithKey: Same<client.AccountWithKey, Static<typeof contract.AccountWithKey>>;
  CreateAccount: Same<client.CreateAccount, Static<typeof contract.CreateAccount>>;
  UpdateAccount: Same<client.UpdateAccount, Static<typeof contract.UpdateAccount>>;
  Usage: Same<client.Usage, Static<typeof contract.Usage>>;
  AuditEntry: Same<client.AuditEntry, Static<typeof contract.AuditEntry>>;
  AuditPage: Same<Page<client.AuditEntry>, Static<typeof contract.AuditPage>>;
  OperatorAuditEntry: Same<client.OperatorAuditEntry, Static<typeof contract.OperatorAuditEntry>>;
  OperatorAuditPage: Same<
    Page<client.OperatorAuditEntry>,
    Static<typeof contract.OperatorAuditPage>
  >;
  Node: Same<client.Node, Static<typeof contract.Node>>;
  Health: Same<client.Health, Static<typeof contract.Health>>;
  Readiness: Same<client.Readiness, Static<typeof contract.Readiness>>;
  ErrorObject: Same<client.ErrorObject, Static<typeof contract.ErrorObject>>;
  ErrorCode: Same<client.ErrorCode, Codes>;
}>;

test("types equal the schemas of the contract", () => {
  const checked: Equal["Message"] = true;
  expect(checked).toBe(true);
  // @ts-expect-error A field that one of the two lacks is noticed, even an optional one.
  const unequal: Same<client.Message, client.Message & { more?: string }> = true;
  expect(unequal).toBe(true);
});

test("types forbid what contradicts itself", () => {
  const plain = { targetId: "t", payload: "p" } as const;
  const good: MessageInput[] = [
    { ...plain, in: 1 },
    { ...plain, in: 1, notAfter: new Date(), labels: { order: "4711" }, key: "k" },
    { ...plain, key: "k", onConflict: "debounce", debounce: { quietMs: 5 } },
    { ...plain, in: { hours: 2 } },
    { ...plain, at: new Date() },
    { ...plain, deliveryTime: "2030-01-01T00:00:00Z" },
    { ...plain, delayMs: 5 },
    { targetId: "t", in: 1, json: null },
    { ...plain, in: 1, idempotencyKey: "k" },
  ];
  const bad: MessageInput[] = [
    // @ts-expect-error no time
    plain,
    // @ts-expect-error a time beside the one of debounce
    { ...plain, in: 1, key: "k", onConflict: "debounce", debounce: { quietMs: 5 } },
    // @ts-expect-error no such option
    { ...plain, in: 1, label: { order: "4711" } },
    // @ts-expect-error two times
    { ...plain, in: 1, at: new Date() },
    // @ts-expect-error an unknown unit
    { ...plain, in: { hour: 2 } },
    // @ts-expect-error two contents
    { ...plain, in: 1, json: 1 },
    // @ts-expect-error no content
    { targetId: "t", in: 1 },
    // @ts-expect-error no target
    { in: 1, payload: "" },
  ];
  expect(good.length + bad.length).toBe(17);
});
