-- Whose subgraphs, keys and everything else these are.
create table graphloom.projects (
  id text primary key,
  name text not null,
  created_at timestamptz not null default now()
);

-- Keys are kept as their hashes.
create table graphloom.api_keys (
  id text primary key,
  project text not null references graphloom.projects on delete cascade,
  name text not null,
  role text not null check (role in ('Owner', 'Admin', 'Editor', 'Viewer')),
  -- SHA-256, hex.
  hash text not null unique,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);

-- What was deployed, once for all versions that are the same. How far it was indexed is in deployments.
create table graphloom.builds (
  -- The IPFS hash of the manifest.
  deployment text primary key,
  -- Zip of what was built.
  bundle bytea not null,
  network text not null,
  -- Which engine runs it.
  engine text not null,
  created_at timestamptz not null default now()
);

create table graphloom.versions (
  project text not null references graphloom.projects on delete cascade,
  name text not null,
  version text not null,
  deployment text not null references graphloom.builds,
  is_paused boolean not null default false,
  description text,
  has_public_endpoint boolean not null default true,
  has_private_endpoint boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (project, name, version)
);
create index on graphloom.versions (deployment);

-- A name that can be moved from one version to another; never that of a version.
create table graphloom.tags (
  project text not null,
  name text not null,
  tag text not null,
  version text not null,
  description text,
  has_public_endpoint boolean not null default true,
  has_private_endpoint boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (project, name, tag),
  foreign key (project, name, version) references graphloom.versions
);
