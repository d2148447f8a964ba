// Made from schemas/management-api.json: UPDATE_GOLDEN=1 npx vitest run test/api/contract.test.ts
// Lists of words end with `string & {}`: the API may use words that are not known yet.

/** An answer in its envelope. */
export interface Data<Value> {
  readonly data: Value;
}

/** A part of a list. */
export interface Page<Item> extends Data<readonly Item[]> {
  readonly pagination: Pagination;
}

/** Name of a subgraph. */
export type SubgraphName = string;

/** Name of a version or of a tag. */
export type VersionLabel = string;

/** A deployed version of a subgraph, or a tag. */
export interface Subgraph {
  readonly name: string;
  /** The version, or the tag's own name when the entry is a tag. */
  readonly version: string;
  /** There when the entry is a tag. */
  readonly tag?: { readonly target_version?: string };
  readonly status: SubgraphStatus;
  /** The chain's name. */
  readonly network: string;
  readonly health: Health;
  readonly synced: boolean;
  /** Public address of queries. */
  readonly graphql_endpoint: string;
  /** Address of queries that need a token. */
  readonly private_graphql_endpoint: string;
  readonly public_endpoint_enabled: boolean;
  readonly private_endpoint_enabled: boolean;
  readonly description: string | null;
  readonly deployments: readonly Deployment[];
}

/** Whether a subgraph indexes. */
export type SubgraphStatus = "ACTIVE" | "PAUSED" | (string & {});

/** How indexing goes. */
export type Health = "HEALTHY" | "UNHEALTHY" | "FAILED" | "UNKNOWN" | (string & {});

/** One deployment of a version. */
export interface Deployment {
  /** IPFS hash of the manifest. */
  readonly deployment_id: string;
  readonly created_at: string;
  readonly health: Health;
  readonly synced: boolean;
  /** Why indexing cannot go on. */
  readonly fatal_error: string | null;
  readonly non_fatal_errors: readonly string[];
  readonly indexing_progress?: IndexingProgress;
}

/** How far a deployment has come. */
export interface IndexingProgress {
  readonly network: string;
  readonly progress_percent: number;
  readonly chain_head_block: number;
  readonly deployment_head_block: number;
  readonly deployment_start_block: number;
  readonly synced: boolean;
}

/** What is to change; what is absent stays. */
export interface SubgraphPatch {
  readonly public_endpoint_enabled?: boolean;
  readonly private_endpoint_enabled?: boolean;
  readonly description?: string;
}

/** A part of a list of subgraphs. */
export type SubgraphPage = Page<Subgraph>;

/** One subgraph. */
export type SubgraphAnswer = Data<Subgraph>;

/** Where a page stands in its list. */
export interface Pagination {
  /** What to send for the next page; null after the last. */
  readonly next_page_token: string | null;
  readonly page_size: number;
}

/** Chains that subgraphs can index. */
export type ChainsAnswer = Data<{ readonly supported_chains: readonly string[] }>;

/** Where a tag is to point. */
export interface TagTarget {
  readonly target_version: VersionLabel;
}

/** Order of log entries by time. */
export type LogDirection = "asc" | "desc" | (string & {});

/** A part of a log. */
export type LogsAnswer = Data<LogPage>;

/** Entries of a log. */
export interface LogPage {
  readonly results: readonly LogEntry[];
  /** What to send for the entries that follow; absent at the end. */
  readonly cursor?: number;
}

/** An entry of a log. */
export interface LogEntry {
  readonly text: string;
  readonly timestamp: number;
  readonly level: string;
}

/** What is deployed: fields of a form. */
export interface DeployForm {
  /** Zip of a built subgraph. */
  readonly bundle?: Uint8Array;
  /** Deprecated; 1 is refused. */
  readonly overwrite?: string;
  /** 1 strips the manifest's graft. */
  readonly remove_graft?: string;
  /** 1 skips the check of the graft's base. */
  readonly skip_graft_validation?: string;
  /** First block to index. */
  readonly start_block?: string;
  /** Deployed subgraph to graft on: name/version. */
  readonly graft_from?: string;
  readonly description?: string;
  /** Shard of the index; for the provider's support. */
  readonly graph_node_shard?: string;
}

/** All webhooks of a project. */
export type WebhooksAnswer = Data<readonly Webhook[]>;

/** A webhook, without its secret. */
export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly webhook_url: string;
  readonly entity: string;
  readonly subgraph_name: string;
  readonly subgraph_version: string;
  readonly created_at: string;
}

/** A webhook to be made. */
export interface NewWebhook {
  readonly name: string;
  readonly subgraph_name: SubgraphName;
  readonly subgraph_version: VersionLabel;
  readonly entity: string;
  readonly webhook_url: string;
  /** Made by the server when absent. */
  readonly secret?: string;
  readonly num_retries?: number;
  readonly retry_interval_seconds?: number;
  readonly retry_timeout_seconds?: number;
  /** Extension: whether what is there already is sent first, as insertions. */
  readonly from_start?: boolean;
}

/** A webhook that was made. */
export type CreatedWebhookAnswer = Data<CreatedWebhook>;

/** A webhook that was made, with its secret. */
export interface CreatedWebhook {
  readonly id: string;
  readonly name: string;
  /** Told here and never again. */
  readonly webhook_secret: string;
}

/** What webhooks of a subgraph can watch. */
export type EntitiesAnswer = Data<{ readonly entities: readonly WebhookEntity[] }>;

/** An entity that webhooks can watch. */
export interface WebhookEntity {
  readonly name: string;
  /** How many there are, in digits. */
  readonly rows: string;
  readonly columns: readonly EntityColumn[];
}

/** A column of an entity's table. */
export interface EntityColumn {
  readonly name: string;
  /** Type of the database. */
  readonly data_type: string;
}

/** A part of a list of pipelines. */
export type PipelinePage = Page<Pipeline>;

/** A streaming pipeline. */
export interface Pipeline {
  readonly name: string;
  readonly type: string;
  readonly status: PipelineStatus;
  readonly definition: PipelineDefinition;
  readonly resource_size?: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly version?: number;
  readonly project_id?: string;
}

/** What a pipeline does. */
export type PipelineStatus =
  | "RUNNING"
  | "PAUSED"
  | "RESTARTING"
  | "DEPLOYING"
  | "STOPPED"
  | "FAILED"
  | "SUCCEEDED"
  | "UNKNOWN"
  | (string & {});

/** What a pipeline is made of. */
export interface PipelineDefinition {
  readonly sources: OpenMap;
  readonly transforms: OpenMap;
  readonly sinks: OpenMap;
  readonly description?: string;
  readonly resource_size?: string;
  readonly use_dedicated_ip?: boolean;
  readonly job?: boolean;
}

/** Anything, by name. */
export type OpenMap = Readonly<Record<string, unknown>>;

/** How many errors a log holds. */
export type ErrorCountAnswer = Data<{ readonly error_count: number }>;

/** What a pipeline is made of. */
export interface PipelineGraph {
  readonly sources: OpenMap;
  readonly transforms: OpenMap;
  readonly sinks: OpenMap;
  /** The pipeline's name, when none stands beside the definition. */
  readonly name?: string;
}

/** A pipeline to be made. */
export interface NewPipeline {
  readonly name?: string;
  readonly resource_size?: string;
  readonly description?: string;
  readonly use_dedicated_ip?: boolean;
  readonly definition: PipelineGraph;
}

/** A pipeline that is only judged; a name that is wrong is a finding. */
export type PipelineDraft = NewPipeline;

/** What is wrong with a pipeline. */
export interface PipelineVerdict {
  readonly valid: boolean;
  readonly errors: readonly PipelineFinding[];
  readonly warnings: readonly PipelineFinding[];
}

/** Something that is wrong with a pipeline. */
export interface PipelineFinding {
  readonly field?: string;
  readonly message: string;
}

/** A pipeline to be run for a time. */
export interface NewPreview {
  readonly definition: PipelineGraph;
  readonly ttl_seconds?: number;
}

/** A pipeline that runs for a time. */
export interface PipelinePreview {
  readonly pipeline_name: string;
  readonly ttl_seconds: number;
  readonly expires_at: string;
}

/** How a pipeline is started anew. */
export interface PipelineRestart {
  /** From the beginning; otherwise from where it was. */
  readonly clearState?: boolean;
}

/** Whether a pipeline runs. */
export interface PipelineState {
  readonly name: string;
  readonly status: PipelineStatus;
  readonly errors: readonly PipelineFailure[];
}

/** Why a pipeline does not run. */
export interface PipelineFailure {
  readonly message: string;
}

/** All chains that endpoints reach. */
export type EdgeNetworksAnswer = Data<readonly EdgeNetwork[]>;

/** A chain that endpoints reach. */
export interface EdgeNetwork {
  readonly chain_id: number | null;
  readonly name: string;
  readonly network_name: string;
  readonly chain_name: string;
  readonly logo_url: string;
}

/** All services of data that endpoints reach. */
export type EdgeSourcesAnswer = Data<readonly EdgeSource[]>;

/** A service of data that endpoints reach. */
export interface EdgeSource {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly provider_id: string;
  readonly provider_name: string;
  readonly logo_url: string;
  readonly endpoint: string;
}

/** What an endpoint gives access to. */
export type EdgeProduct = "rpc" | "data" | "boost" | (string & {});

/** What a new endpoint gives access to. */
export type NewEdgeProduct = "rpc" | "data" | (string & {});

/** Whether an endpoint answers. */
export type EdgeStatus = "ACTIVE" | "PAUSED" | (string & {});

/** How much time one number of metrics stands for. */
export type EdgeBucket = "1m" | "5m" | "1h" | "6h" | "1d" | (string & {});

/** How many requests a minute an endpoint takes, in total and from one address. */
export type EdgeBudget =
  | "edge-tier-6krpm-total-unlimited-per-ip"
  | "edge-tier-60krpm-total-unlimited-per-ip"
  | "edge-tier-180krpm-total-unlimited-per-ip"
  | "edge-tier-360krpm-total-unlimited-per-ip"
  | "edge-tier-600krpm-total-unlimited-per-ip"
  | "edge-tier-6krpm-total-500rpm-per-ip"
  | "edge-tier-60krpm-total-500rpm-per-ip"
  | "edge-tier-180krpm-total-500rpm-per-ip"
  | "edge-tier-360krpm-total-500rpm-per-ip"
  | "edge-tier-600krpm-total-500rpm-per-ip"
  | "edge-tier-unlimited-total-100rpm-per-ip"
  | "edge-tier-unlimited-total-500rpm-per-ip"
  | (string & {});

/** An endpoint, without its key. */
export interface EdgeEndpoint {
  readonly name: string;
  readonly product: EdgeProduct;
  readonly status: EdgeStatus;
  readonly rate_limit_budget: string | null;
  readonly allowed_domains: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly paused_at: string | null;
}

/** A new endpoint, with its key. */
export interface CreatedEdgeEndpoint extends EdgeEndpoint {
  readonly api_key: string;
}

/** A new endpoint, and what its maker should know. */
export interface CreatedEdgeEndpointAnswer {
  readonly data: CreatedEdgeEndpoint;
  readonly warnings?: readonly string[];
}

/** One endpoint. */
export type EdgeEndpointAnswer = Data<EdgeEndpoint>;

/** A part of a list of endpoints. */
export type EdgePage = Page<EdgeEndpoint>;

/** An endpoint to be made. */
export interface NewEdgeEndpoint {
  readonly name: string;
  readonly product?: NewEdgeProduct;
  readonly rate_limit_budget?: EdgeBudget;
  readonly allowed_domains?: readonly string[];
}

/** What is to change of an endpoint; what is absent stays. */
export interface EdgeEndpointPatch {
  /** Null for no limit. */
  readonly rate_limit_budget?: EdgeBudget | null;
  readonly allowed_domains?: readonly string[];
}

/** The key of an endpoint. */
export type EdgeKeyAnswer = Data<{ readonly api_key: string }>;

/** How often an endpoint was asked. */
export type EdgeMetricsAnswer = Data<EdgeMetrics>;

/** Requests and those that failed, over time. */
export interface EdgeMetrics {
  readonly requests: readonly EdgePoint[];
  readonly errors: readonly EdgePoint[];
}

/** A number for a time. */
export interface EdgePoint {
  readonly time: string;
  readonly value: number;
}

/** What a secret gives access to. */
export type SecretType =
  | "jdbc"
  | "clickHouse"
  | "elasticSearch"
  | "opensearch"
  | "kafka"
  | "s3"
  | "sqs"
  | "pubsub"
  | "dynamodb"
  | "httpauth"
  | (string & {});

/** A secret, without its value. */
export interface Secret {
  readonly name: string;
  readonly type: SecretType;
  readonly description: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A part of a list of secrets. */
export type SecretPage = Page<Secret>;

/** One secret. */
export type SecretAnswer = Data<Secret>;

/** A secret to be kept. */
export interface NewSecret {
  /** Letters, digits, _ and -. */
  readonly name: string;
  /** Its type and the fields of the type. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly description?: string;
}

/** What is to change of a secret; what is absent stays. */
export interface SecretPatch {
  /** Its type and the fields of the type. */
  readonly value?: Readonly<Record<string, unknown>>;
  readonly description?: string;
}

/** A secret with its value. */
export type SecretValueAnswer = Data<RevealedSecret>;

/** A secret with its value. */
export interface RevealedSecret {
  readonly name: string;
  /** Its type and the fields of the type. */
  readonly value: Readonly<Record<string, unknown>>;
}

/** What a path names. */
export interface NamePath {
  readonly name: string;
}

/** What a path names. */
export interface SubgraphPath {
  readonly name: SubgraphName;
}

/** What a path names. */
export interface VersionPath {
  readonly name: SubgraphName;
  readonly version: VersionLabel;
}

/** What goes to each operation and what comes back, by its `operationId`. */
export interface Operations {
  /** Versions and tags of a project, by name and version. */
  readonly listSubgraphs: {
    readonly query: { readonly page_size?: number; readonly page_token?: string };
    readonly answer: SubgraphPage;
  };
  /** Chains that subgraphs can index. */
  readonly listSubgraphChains: { readonly answer: ChainsAnswer };
  /** Webhooks of a project. */
  readonly listWebhooks: { readonly answer: WebhooksAnswer };
  /** Makes a webhook. */
  readonly createWebhook: { readonly body: NewWebhook; readonly answer: CreatedWebhookAnswer };
  /** Deletes a webhook. */
  readonly deleteWebhook: { readonly path: NamePath; readonly answer: undefined };
  /** Every version and tag of a name. */
  readonly getSubgraph: { readonly path: SubgraphPath; readonly answer: SubgraphPage };
  /** A version or a tag, in a list of one. */
  readonly getSubgraphVersion: { readonly path: VersionPath; readonly answer: SubgraphPage };
  /** Changes a version or a tag. */
  readonly updateSubgraphVersion: {
    readonly path: VersionPath;
    readonly body: SubgraphPatch;
    readonly answer: SubgraphAnswer;
  };
  /** What webhooks of a version can watch. */
  readonly listWebhookEntities: { readonly path: VersionPath; readonly answer: EntitiesAnswer };
  /** Entries of a version's log. */
  readonly getSubgraphLogs: {
    readonly path: VersionPath;
    readonly query: {
      readonly cursor?: number;
      readonly after?: number;
      readonly direction?: LogDirection;
      readonly search?: string;
      readonly log_level?: string;
      readonly log_levels?: string;
    };
    readonly answer: LogsAnswer;
  };
  /** Stops indexing a version. */
  readonly pauseSubgraph: { readonly path: VersionPath; readonly answer: undefined };
  /** Goes on indexing a version. */
  readonly resumeSubgraph: { readonly path: VersionPath; readonly answer: undefined };
  /** Makes a tag, or moves it. */
  readonly setSubgraphTag: {
    readonly path: VersionPath;
    readonly body: TagTarget;
    readonly answer: SubgraphAnswer;
  };
  /** Deletes a tag; its version stays. */
  readonly deleteSubgraphTag: { readonly path: VersionPath; readonly answer: undefined };
  /** Deploys a version. */
  readonly deploySubgraph: {
    readonly path: VersionPath;
    readonly body: DeployForm;
    readonly answer: Subgraph;
  };
  /** Deletes a version that nothing refers to. */
  readonly deleteSubgraphDeployment: { readonly path: VersionPath; readonly answer: undefined };
  /** Pipelines of a project, by name. */
  readonly listPipelines: {
    readonly query: {
      readonly type?: string;
      readonly page_size?: number;
      readonly page_token?: string;
      readonly pageSize?: number;
      readonly pageToken?: string;
    };
    readonly answer: PipelinePage;
  };
  /** Makes a pipeline and starts it. */
  readonly createPipeline: { readonly body: NewPipeline; readonly answer: Pipeline };
  /** Runs a pipeline without its sinks for a time. */
  readonly previewPipeline: { readonly body: NewPreview; readonly answer: PipelinePreview };
  /** Says what is wrong with a pipeline, without making it. */
  readonly validatePipeline: { readonly body: PipelineDraft; readonly answer: PipelineVerdict };
  /** A pipeline. */
  readonly getPipeline: { readonly path: NamePath; readonly answer: Pipeline };
  /** Deletes a pipeline for good. */
  readonly deletePipeline: { readonly path: NamePath; readonly answer: undefined };
  /** Log of a pipeline. */
  readonly getPipelineLogs: {
    readonly path: NamePath;
    readonly query: {
      readonly cursor?: number;
      readonly after?: number;
      readonly direction?: LogDirection;
      readonly search?: string;
      readonly logLevels?: string;
    };
    readonly answer: LogsAnswer;
  };
  /** Stops a pipeline where it is. */
  readonly pausePipeline: { readonly path: NamePath; readonly answer: undefined };
  /** Starts a pipeline anew, from where it was or from the beginning. */
  readonly restartPipeline: {
    readonly path: NamePath;
    readonly body: PipelineRestart;
    readonly answer: undefined;
  };
  /** Goes on with a pipeline. */
  readonly resumePipeline: { readonly path: NamePath; readonly answer: undefined };
  /** What the engine tells of a pipeline. */
  readonly getPipelineState: { readonly path: NamePath; readonly answer: undefined };
  /** Whether a pipeline runs, and what is wrong. */
  readonly getPipelineStatus: { readonly path: NamePath; readonly answer: PipelineState };
  /** How many errors a pipeline's log holds. */
  readonly getPipelineErrorCount: {
    readonly path: NamePath;
    readonly query: { readonly since_hours?: number };
    readonly answer: ErrorCountAnswer;
  };
  /** Endpoints of a project. */
  readonly listEdgeEndpoints: {
    readonly query: { readonly product?: EdgeProduct };
    readonly answer: EdgePage;
  };
  /** Makes an endpoint with a key of its own. */
  readonly createEdgeEndpoint: { readonly body: NewEdgeEndpoint; readonly answer: CreatedEdgeEndpointAnswer };
  /** Chains that endpoints reach. */
  readonly listEdgeNetworks: { readonly answer: EdgeNetworksAnswer };
  /** Services of data that endpoints reach. */
  readonly listEdgeSources: { readonly answer: EdgeSourcesAnswer };
  /** An endpoint. */
  readonly getEdgeEndpoint: { readonly path: NamePath; readonly answer: EdgeEndpointAnswer };
  /** Changes an endpoint: its domains first, then its budget. */
  readonly updateEdgeEndpoint: {
    readonly path: NamePath;
    readonly body: EdgeEndpointPatch;
    readonly answer: EdgeEndpointAnswer;
  };
  /** Revokes the key of an endpoint and deletes it. */
  readonly deleteEdgeEndpoint: { readonly path: NamePath; readonly answer: undefined };
  /** The key of an endpoint. */
  readonly revealEdgeEndpointKey: { readonly path: NamePath; readonly answer: EdgeKeyAnswer };
  /** How often an endpoint was asked, over time. */
  readonly getEdgeEndpointMetrics: {
    readonly path: NamePath;
    readonly query: { readonly from?: string; readonly to?: string; readonly bucket_size?: EdgeBucket };
    readonly answer: EdgeMetricsAnswer;
  };
  /** Has an endpoint refuse everything. */
  readonly pauseEdgeEndpoint: { readonly path: NamePath; readonly answer: EdgeEndpointAnswer };
  /** Has an endpoint answer again. */
  readonly resumeEdgeEndpoint: { readonly path: NamePath; readonly answer: EdgeEndpointAnswer };
  /** Secrets of a project, by name, without their values. An extension. */
  readonly listSecrets: { readonly answer: SecretPage };
  /** Keeps a secret, encrypted. An extension. */
  readonly createSecret: { readonly body: NewSecret; readonly answer: SecretAnswer };
  /** Changes the value or the description of a secret; its type stays. An extension. */
  readonly updateSecret: {
    readonly path: NamePath;
    readonly body: SecretPatch;
    readonly answer: SecretAnswer;
  };
  /** Deletes a secret that nothing uses. An extension. */
  readonly deleteSecret: { readonly path: NamePath; readonly answer: undefined };
  /** The value of a secret; who looked at it is noted. An extension. */
  readonly revealSecret: { readonly path: NamePath; readonly answer: SecretValueAnswer };
}
