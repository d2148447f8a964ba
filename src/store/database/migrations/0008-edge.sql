-- Keys in front of the nodes of chains and of the data service.
create table graphloom.edge_endpoints (
  project text not null references graphloom.projects on delete cascade,
  name text not null,
  product text not null check (product in ('rpc', 'data')),
  -- SHA-256 of its key, hex; and the key itself, encrypted, since it can be looked at again.
  key_hash text not null unique,
  sealed_key bytea not null,
  rate_limit_budget text,
  allowed_domains text[] not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  paused_at timestamptz,
  primary key (project, name)
);

-- How often each was asked, by minutes since 1970.
create table graphloom.edge_counts (
  project text not null,
  name text not null,
  minute bigint not null,
  requests bigint not null,
  errors bigint not null,
  primary key (project, name, minute),
  foreign key (project, name) references graphloom.edge_endpoints on delete cascade
);
