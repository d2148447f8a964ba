-- Names that graph-node's tools have created, and the subgraph of the project that each stands for.
create table graphloom.door_names (
  project text not null references graphloom.projects on delete cascade,
  -- As the tools write it: `org/pools`.
  name text not null,
  subgraph text not null,
  -- What the tools are told, hex.
  id text not null,
  created_at timestamptz not null default now(),
  primary key (project, name),
  unique (project, subgraph)
);
create index on graphloom.door_names (name);

-- Files that such tools have uploaded.
create table graphloom.door_files (
  -- A project, or `client …` for uploads without a key that nobody has deployed.
  owner text not null,
  -- The IPFS hash.
  cid text not null,
  bytes bytea not null,
  -- Whether a project has deployed it since. Then it is only for further deployments, and nobody can read it.
  is_claimed boolean not null default false,
  uploaded_at timestamptz not null default now(),
  primary key (owner, cid)
);
create index on graphloom.door_files (uploaded_at);

-- Versions that such tools have deployed.
create table graphloom.door_versions (
  project text not null,
  name text not null,
  version text not null,
  primary key (project, name, version),
  foreign key (project, name, version) references graphloom.versions on delete cascade
);

-- The files of a project's deployments, which stay as long as a version shows the deployment.
create table graphloom.door_links (
  project text not null references graphloom.projects on delete cascade,
  deployment text not null,
  cid text not null,
  primary key (project, deployment, cid)
);
create index on graphloom.door_links (project, cid);
