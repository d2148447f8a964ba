-- Sinks of pipelines that read entities of subgraphs. Each has a reader of its own in feed_readers, flow <id>.
create table graphloom.flow_readings (
  id bigint generated always as identity primary key,
  flow text not null,
  sink text not null,
  source text not null,
  -- When it was read last.
  read_at timestamptz not null default now()
);
create index on graphloom.flow_readings (flow, sink, source);

-- What positions of such a sink mean. A sink keeps the number alone.
create table graphloom.flow_places (
  reading bigint not null references graphloom.flow_readings on delete cascade,
  position bigint not null,
  -- By the number of a deployment: its IPFS hash, the last change and the last row that were taken.
  parts jsonb not null,
  primary key (reading, position)
);
create index on graphloom.flow_places (position);
