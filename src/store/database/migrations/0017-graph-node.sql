-- Servers that share a graph-node are told apart by it: it is in the names that their deployments have there.
alter table graphloom.server add column id text not null default replace(gen_random_uuid()::text, '-', '');

-- What a graph-node was asked for, and has done.
create table graphloom.graph_node_deployments (
  deployment text primary key references graphloom.builds on delete cascade,
  -- The name that it has there.
  name text not null,
  -- Whether it was paused last; null when that is not known.
  is_paused boolean
);
-- Before there was an id, names were the same for all servers.
insert into graphloom.graph_node_deployments (deployment, name)
  select deployment, 'graphloom/' || deployment from graphloom.builds where engine = 'graph-node';
