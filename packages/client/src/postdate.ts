import { Clients } from "./access/clients.ts";
import { Keys } from "./access/keys.ts";
import { OAuth } from "./access/oauth.ts";
import { EncryptionKeys } from "./access/encryption-keys.ts";
import { SigningKeys } from "./access/signing-keys.ts";
import { Accounts } from "./accounts/accounts.ts";
import type { CallOptions } from "./call-options.ts";
import { ClientCredentials } from "./credentials/client-credentials.ts";
import { keyCredentials } from "./credentials/credentials.ts";
import { Events } from "./events/events.ts";
import { Jobs } from "./jobs/jobs.ts";
import { PagedList } from "./lists/paged-list.ts";
import { Messages } from "./messages/messages.ts";
import type { PostdateOptions } from "./options.ts";
import { readOptions } from "./options.ts";
import { Schedules } from "./schedules/schedules.ts";
import { Statistics } from "./stats/statistics.ts";
import { Targets } from "./targets/targets.ts";
import { get } from "./transport/api-request.ts";
import { Transport } from "./transport/transport.ts";
import type { AuditEntry, OperatorAuditEntry, OwnAccount, Usage } from "./types/accounts.ts";
import type { TimeQuery } from "./types/lists.ts";
import type { Health, Node, Readiness } from "./types/service.ts";

/**
 * A client of one Postdate server, with one credential. Make one and keep it: its calls share
 * connections, tokens and batches. It holds nothing that needs closing.
 *
 * @example
 * ```ts
 * import { Postdate } from "@postdate/client";
 *
 * const postdate = new Postdate({ url: "https://postdate.example.com", key: "pd_…" });
 * await postdate.messages.schedule({ targetId: "mail", in: { hours: 2 }, payload: "hello" });
 * ```
 */
export class Postdate {
  readonly #transport: Transport;
  /** The address of the server. */
  declare readonly url: string;
  /** Schedules messages, and reads and changes them. */
  declare readonly messages: Messages;
  /** Where messages go. */
  declare readonly targets: Targets;
  /** Changes of many messages at once. */
  declare readonly jobs: Jobs;
  /** Messages that recur. */
  declare readonly schedules: Schedules;
  /** What happens, as it happens. */
  declare readonly events: Events;
  /** What is due when, and how attempts went. */
  declare readonly stats: Statistics;
  /** The API keys of the account. */
  declare readonly keys: Keys;
  /** The OAuth clients of the account. */
  declare readonly clients: Clients;
  /** All accounts of the service. For the operator's key. */
  declare readonly accounts: Accounts;
  /** The keys that sign access tokens. For the operator's key. */
  declare readonly signingKeys: SigningKeys;
  /** The keys that seal secrets in the store. For the operator's key. */
  declare readonly encryption: EncryptionKeys;
  /** The OAuth endpoints. */
  declare readonly oauth: OAuth;

  constructor(options: PostdateOptions = {}) {
    const { credential, gather, ...connection } = readOptions(options);
    const transport = new Transport(connection, (self) =>
      typeof credential === "object"
        ? new ClientCredentials(self, credential)
        : keyCredentials(credential),
    );
    this.#transport = transport;
    this.url = transport.url;
    this.messages = new Messages(transport, gather);
    this.targets = new Targets(transport, options.timeoutMs);
    this.jobs = new Jobs(transport);
    this.schedules = new Schedules(transport);
    this.events = new Events(transport);
    this.stats = new Statistics(transport);
    this.keys = new Keys(transport);
    this.clients = new Clients(transport);
    this.accounts = new Accounts(transport);
    this.signingKeys = new SigningKeys(transport);
    this.encryption = new EncryptionKeys(transport);
    this.oauth = new OAuth(transport);
  }

  /**
   * The account that the credential belongs to.
   *
   * @example
   * ```ts
   * const { accountId, monthlyMessageLimit } = await postdate.account();
   * console.log(accountId, monthlyMessageLimit);
   * ```
   */
  async account(options?: CallOptions): Promise<OwnAccount> {
    return this.#transport.request(get("/v1/account"), options);
  }

  /**
   * How many messages the account has scheduled this month, and how many it may.
   *
   * @example
   * ```ts
   * const { used, remaining } = await postdate.usage();
   * console.log(used, remaining ?? "no limit");
   * ```
   */
  async usage(options?: CallOptions): Promise<Usage> {
    return this.#transport.request(get("/v1/usage"), options);
  }

  /**
   * The server processes that are alive.
   *
   * @example
   * ```ts
   * for (const { nodeId, inFlight } of await postdate.nodes()) console.log(nodeId, inFlight);
   * ```
   */
  async nodes(options?: CallOptions): Promise<Node[]> {
    return this.#transport.field("items", get("/v1/nodes"), options);
  }

  /**
   * The audit log of the account, the latest entry first.
   *
   * @example
   * ```ts
   * for await (const { time, action, subjectId } of postdate.auditLog()) console.log(time, action, subjectId);
   * ```
   */
  auditLog(query?: TimeQuery, options?: CallOptions): PagedList<AuditEntry> {
    return new PagedList(this.#transport, "/v1/audit-log", query, options);
  }

  /**
   * The audit log of all accounts and of the service. For the operator's key.
   *
   * @example
   * ```ts
   * const { items } = await postdate.operatorAuditLog({ limit: 10 }).page();
   * console.log(items.map(({ accountId, action }) => [accountId, action]));
   * ```
   */
  operatorAuditLog(query?: TimeQuery, options?: CallOptions): PagedList<OperatorAuditEntry> {
    return new PagedList(this.#transport, "/v1/operator/audit-log", query, options);
  }

  /**
   * Whether the process runs, and its version.
   *
   * @example
   * ```ts
   * console.log((await postdate.health()).version);
   * ```
   */
  async health(options?: CallOptions): Promise<Health> {
    return this.#transport.request(get("/healthz"), options);
  }

  /**
   * Whether the server should get requests now. It answers with `ready: false` rather than with an error.
   *
   * @example
   * ```ts
   * const { ready, reasons } = await postdate.ready();
   * if (!ready) console.log(reasons);
   * ```
   */
  async ready(options?: CallOptions): Promise<Readiness> {
    return this.#transport.request({ ...get("/readyz"), alsoAnswers: 503 }, options);
  }

  /**
   * The metrics of the server, in the text format of Prometheus.
   *
   * @example
   * ```ts
   * console.log(await postdate.metrics());
   * ```
   */
  async metrics(options?: CallOptions): Promise<string> {
    return this.#transport.request({ ...get("/metrics"), isText: true }, options);
  }
}
