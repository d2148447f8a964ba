-- Range indexes over ids of text and bytes.
create extension if not exists btree_gist;

-- Every build that was indexed here. Its entities lie in the schema sgd<id>.
create table graphloom.deployments (
  id integer generated always as identity primary key,
  -- The IPFS hash of the manifest.
  deployment text not null unique,
  network text not null,
  -- As it is in the build.
  schema text not null,
  -- Entity types that data sources of files write.
  file_types text[] not null default '{}',
  -- The first block that was asked for.
  start_block integer not null,
  -- Older versions of entities are gone.
  earliest_block integer not null,
  -- The last block whose writes are complete; nothing before the first.
  head_number integer,
  head_hash text,
  health text not null default 'healthy' check (health in ('healthy', 'unhealthy', 'failed')),
  -- Why it is not healthy.
  fatal_error jsonb,
  synced_at timestamptz,
  -- The last number given to a change of its log.
  feed_seq bigint not null default 0,
  created_at timestamptz not null default now(),
  check ((head_number is null) = (head_hash is null))
);

-- The last blocks written, to find where a fork began.
create table graphloom.recent_blocks (
  deployment integer not null references graphloom.deployments on delete cascade,
  number integer not null,
  hash text not null,
  -- Nothing where it was not known.
  parent_hash text,
  -- Seconds since 1970.
  timestamp bigint,
  primary key (deployment, number)
);

-- Who reads the changes of a deployment, and how far each has come: what all have read is dropped.
create table graphloom.feed_readers (
  deployment integer not null references graphloom.deployments on delete cascade,
  name text not null,
  seq bigint not null,
  primary key (deployment, name)
);
