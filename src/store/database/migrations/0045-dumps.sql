-- What dumps say about a manifest: {"specVersion", "features", "description", "repository", "startHash"}; null for
-- deployments from before this version.
alter table graphloom.deployments add manifest jsonb;

-- Restores that are not complete. Their tables are in the schema sgd<id>, and no deployment has that number yet.
create table graphloom.restores (
  deployment text primary key,
  id integer not null,
  -- A hash of what the folder says. A restore of another state of the folder starts over.
  folder text not null,
  created_at timestamptz not null default now()
);
