-- Pipelines and streams of projects: what is wanted of each, and how far a server is with it.
create table graphloom.pipelines (
  project text not null references graphloom.projects on delete cascade,
  name text not null,
  -- The form of its definition.
  form text not null check (form in ('pipeline', 'stream')),
  is_job boolean not null,
  -- The version that is to run, and the highest that there ever was.
  version integer not null,
  last_version integer not null,
  status text not null check (status in ('ACTIVE', 'INACTIVE', 'PAUSED')),
  -- Rises with every change that makes it start anew: a version, a size, a status, a restart.
  generation bigint not null default 1,
  -- Where it continues at its next start: 'continue' with what its sinks have, 'anew', or the id of a snapshot.
  begins text not null default 'continue',
  -- The change that is under way, if there is one, and the version that it replaces.
  request text,
  requested_at timestamptz,
  replaced_version integer,
  -- What a server says of it, and for which generation.
  runtime text not null default 'STARTING'
    check (runtime in ('STARTING', 'RUNNING', 'FAILING', 'TERMINATED', 'COMPLETED')),
  seen_generation bigint not null default 0,
  error text,
  sinks jsonb not null default '{}',
  -- Rows that its sources and transforms have given.
  nodes jsonb not null default '{}',
  -- Bytes of memory of its process, and how often one was started.
  memory bigint,
  starts bigint not null default 0,
  -- The server that runs it, and until when the others leave it alone.
  holder uuid,
  held_until timestamptz,
  -- The process of that server, if its system names processes: the lease is over when it has ended.
  holder_process text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (project, name)
);

create table graphloom.pipeline_versions (
  project text not null,
  name text not null,
  version integer not null,
  -- YAML or JSON, as it was given.
  definition text not null,
  -- Values of its variables.
  variables jsonb not null,
  -- The same as JSON, with variables replaced.
  document jsonb not null,
  -- Its nodes, with their columns.
  topology jsonb not null,
  resource_size text not null,
  -- What runs its queries, as JSON; null for the server.
  engine jsonb,
  description text,
  created_at timestamptz not null default now(),
  primary key (project, name, version),
  foreign key (project, name) references graphloom.pipelines on delete cascade
);

-- Subgraphs that pipelines read; they cannot be deleted meanwhile.
create table graphloom.pipeline_subgraphs (
  project text not null,
  pipeline text not null,
  subgraph text not null,
  -- A version or a tag; empty for a deployment id, which is then the subgraph.
  version text not null,
  primary key (project, pipeline, subgraph, version),
  foreign key (project, pipeline) references graphloom.pipelines on delete cascade
);

-- What pipelines say, the last lines of each.
create table graphloom.pipeline_lines (
  project text not null,
  pipeline text not null,
  seq bigint not null generated always as identity,
  -- Milliseconds since 1970.
  at bigint not null,
  level text not null,
  text text not null,
  primary key (project, pipeline, seq),
  foreign key (project, pipeline) references graphloom.pipelines on delete cascade
);
create index on graphloom.pipeline_lines (project, pipeline, at) where level = 'error';

-- Positions of sinks that cannot keep them beside their rows.
create table graphloom.pipeline_states (
  id bigint generated always as identity primary key,
  flow text not null,
  sink text not null,
  -- A hash of where the rows go, whose address may be a key.
  target text not null,
  -- Who writes it. Another one that opens it takes it away.
  writer uuid not null,
  unique (flow, sink, target)
);

-- The records of such a state, in order.
create table graphloom.pipeline_state_records (
  state bigint not null references graphloom.pipeline_states on delete cascade,
  seq bigint not null generated always as identity,
  record json not null,
  primary key (state, seq)
);

-- How far the sinks of pipelines were, at some moments.
create table graphloom.pipeline_snapshots (
  id text primary key,
  project text not null,
  pipeline text not null,
  -- The version of the definition that ran.
  version integer not null,
  cause text not null check (cause in ('request', 'schedule', 'change', 'pause')),
  content jsonb not null,
  created_at timestamptz not null default now(),
  foreign key (project, pipeline) references graphloom.pipelines on delete cascade
);
create index on graphloom.pipeline_snapshots (project, pipeline, created_at);

-- What people ask for with what pipelines keep: to compare it, to mend it, to send it again. The last ones of each.
create table graphloom.pipeline_tasks (
  id uuid primary key,
  project text not null,
  pipeline text not null,
  kind text not null check (kind in ('verify', 'repair', 'replay', 'retry', 'drop')),
  -- As it was asked.
  task jsonb not null,
  -- How far it is, in a sentence.
  progress text,
  -- Until when its server says that it is under way. One that is under way without that is lost.
  held_until timestamptz not null,
  -- When somebody asked to end it. Its server does, and keeps what it said last.
  cancelled_at timestamptz,
  -- What became of it, or why it failed.
  result jsonb,
  error text,
  created_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  foreign key (project, pipeline) references graphloom.pipelines on delete cascade
);
create index on graphloom.pipeline_tasks (project, pipeline, created_at);
