-- The catalog of a graph-node 0.44, as its migrations make it: the tables that dumps and restores use.
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE SCHEMA subgraphs;
CREATE TABLE public.deployment_schemas (
    id integer NOT NULL,
    subgraph character varying NOT NULL,
    name character varying NOT NULL,
    version integer NOT NULL,
    shard text NOT NULL,
    network text NOT NULL,
    active boolean NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE subgraphs.deployment (
    id integer NOT NULL,
    subgraph text NOT NULL,
    earliest_block_number integer DEFAULT 0 NOT NULL,
    health text NOT NULL,
    failed boolean NOT NULL,
    fatal_error text,
    non_fatal_errors text[] DEFAULT '{}'::text[],
    graft_base text,
    graft_block_hash bytea,
    graft_block_number integer,
    reorg_count integer DEFAULT 0 NOT NULL,
    current_reorg_depth integer DEFAULT 0 NOT NULL,
    max_reorg_depth integer DEFAULT 0 NOT NULL,
    last_healthy_block_hash bytea,
    last_healthy_block_number integer,
    debug_fork text,
    synced_at timestamp with time zone,
    synced_at_block_number integer,
    postponed_indexes_created boolean DEFAULT false NOT NULL,
    CONSTRAINT deployment_health_new_check CHECK ((health = ANY (ARRAY['failed'::text, 'healthy'::text, 'unhealthy'::text])))
);
CREATE TABLE subgraphs.subgraph (
    id text NOT NULL,
    name text NOT NULL,
    current_version text,
    pending_version text,
    created_at numeric NOT NULL,
    vid bigint NOT NULL,
    block_range int4range NOT NULL
);
CREATE TABLE subgraphs.subgraph_version (
    id text NOT NULL,
    subgraph text NOT NULL,
    deployment text NOT NULL,
    created_at numeric NOT NULL,
    vid bigint NOT NULL,
    block_range int4range NOT NULL
);
CREATE TABLE public.chains (
    id integer NOT NULL,
    name text NOT NULL,
    net_version text NOT NULL,
    genesis_block_hash text NOT NULL,
    shard text NOT NULL,
    namespace text NOT NULL,
    CONSTRAINT chains_genesis_version_check CHECK (((net_version IS NULL) = (genesis_block_hash IS NULL)))
);
CREATE SEQUENCE public.chains_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.chains_id_seq OWNED BY public.chains.id;
CREATE SEQUENCE public.deployment_schemas_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.deployment_schemas_id_seq OWNED BY public.deployment_schemas.id;
CREATE TABLE subgraphs.head (
    id integer NOT NULL,
    entity_count bigint NOT NULL,
    block_number integer,
    block_hash bytea,
    firehose_cursor text
);
CREATE TABLE subgraphs.subgraph_deployment_assignment (
    node_id text NOT NULL,
    id integer NOT NULL,
    paused_at timestamp with time zone,
    assigned_at timestamp with time zone
);
CREATE TABLE subgraphs.subgraph_manifest (
    spec_version text NOT NULL,
    description text,
    repository text,
    schema text NOT NULL,
    features text[] DEFAULT '{}'::text[] NOT NULL,
    id integer NOT NULL,
    graph_node_version_id integer,
    use_bytea_prefix boolean DEFAULT false NOT NULL,
    start_block_number integer,
    start_block_hash bytea,
    raw_yaml text,
    entities_with_causality_region text[] DEFAULT ARRAY[]::text[] NOT NULL,
    on_sync text,
    history_blocks integer DEFAULT 2147483647 NOT NULL,
    CONSTRAINT subgraph_manifest_history_blocks_check CHECK ((history_blocks > 0)),
    CONSTRAINT subgraph_manifest_on_sync_ck CHECK ((on_sync = ANY (ARRAY['activate'::text, 'replace'::text])))
);
CREATE SEQUENCE subgraphs.subgraph_version_vid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE subgraphs.subgraph_version_vid_seq OWNED BY subgraphs.subgraph_version.vid;
CREATE SEQUENCE subgraphs.subgraph_vid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE subgraphs.subgraph_vid_seq OWNED BY subgraphs.subgraph.vid;
ALTER TABLE ONLY public.chains ALTER COLUMN id SET DEFAULT nextval('public.chains_id_seq'::regclass);
ALTER TABLE ONLY public.chains ALTER COLUMN namespace SET DEFAULT ('chain'::text || currval('public.chains_id_seq'::regclass));
ALTER TABLE ONLY public.deployment_schemas ALTER COLUMN id SET DEFAULT nextval('public.deployment_schemas_id_seq'::regclass);
ALTER TABLE ONLY public.deployment_schemas ALTER COLUMN name SET DEFAULT ('sgd'::text || currval('public.deployment_schemas_id_seq'::regclass));
ALTER TABLE ONLY subgraphs.subgraph ALTER COLUMN vid SET DEFAULT nextval('subgraphs.subgraph_vid_seq'::regclass);
ALTER TABLE ONLY subgraphs.subgraph_version ALTER COLUMN vid SET DEFAULT nextval('subgraphs.subgraph_version_vid_seq'::regclass);
ALTER TABLE ONLY public.chains
    ADD CONSTRAINT chains_name_key UNIQUE (name);
ALTER TABLE ONLY public.chains
    ADD CONSTRAINT chains_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.deployment_schemas
    ADD CONSTRAINT deployment_schemas_pkey PRIMARY KEY (id);
ALTER TABLE ONLY subgraphs.deployment
    ADD CONSTRAINT deployment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY subgraphs.deployment
    ADD CONSTRAINT deployment_subgraph_key UNIQUE (subgraph);
ALTER TABLE ONLY subgraphs.head
    ADD CONSTRAINT head_pkey PRIMARY KEY (id);
ALTER TABLE ONLY subgraphs.subgraph_deployment_assignment
    ADD CONSTRAINT subgraph_deployment_assignment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY subgraphs.subgraph
    ADD CONSTRAINT subgraph_id_block_range_excl EXCLUDE USING gist (id WITH =, block_range WITH &&);
ALTER TABLE ONLY subgraphs.subgraph_manifest
    ADD CONSTRAINT subgraph_manifest_pkey PRIMARY KEY (id);
ALTER TABLE ONLY subgraphs.subgraph
    ADD CONSTRAINT subgraph_name_uq UNIQUE (name);
ALTER TABLE ONLY subgraphs.subgraph
    ADD CONSTRAINT subgraph_pkey PRIMARY KEY (vid);
ALTER TABLE ONLY subgraphs.subgraph_version
    ADD CONSTRAINT subgraph_version_id_block_range_excl EXCLUDE USING gist (id WITH =, block_range WITH &&);
ALTER TABLE ONLY subgraphs.subgraph_version
    ADD CONSTRAINT subgraph_version_pkey PRIMARY KEY (vid);
CREATE UNIQUE INDEX deployment_schemas_deployment_active ON public.deployment_schemas USING btree (subgraph) WHERE active;
CREATE UNIQUE INDEX deployment_schemas_subgraph_shard_uq ON public.deployment_schemas USING btree (subgraph, shard);
CREATE INDEX deployment_fatal_error ON subgraphs.deployment USING btree (fatal_error);
ALTER TABLE ONLY public.deployment_schemas
    ADD CONSTRAINT deployment_schemas_network_fkey FOREIGN KEY (network) REFERENCES public.chains(name);
ALTER TABLE ONLY subgraphs.deployment
    ADD CONSTRAINT deployment_id FOREIGN KEY (id) REFERENCES subgraphs.head(id) ON DELETE CASCADE;
ALTER TABLE ONLY subgraphs.subgraph_manifest
    ADD CONSTRAINT subgraph_manifest_id_fkey FOREIGN KEY (id) REFERENCES subgraphs.deployment(id) ON DELETE CASCADE;
