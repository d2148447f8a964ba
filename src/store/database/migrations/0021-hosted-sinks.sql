-- Databases that projects have on the server of this one. A row is there before its database, and goes after it.
create table graphloom.hosted_sinks (
  project text not null references graphloom.projects,
  -- Of the secret with its credentials.
  name text not null,
  -- Of the database, and of the role that owns it.
  database text not null unique,
  -- Only one that is ready has a secret. The others may have a database.
  state text not null default 'creating' check (state in ('creating', 'ready', 'deleting')),
  -- What clients may do, by the size of the database when it was last measured.
  access text not null default 'open' check (access in ('open', 'read-only', 'closed')),
  created_at timestamptz not null default now(),
  primary key (project, name)
);
