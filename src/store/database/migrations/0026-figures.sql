-- What was measured of deployments: a row for each minute of the last day, and one for each five minutes of the last
-- month. Where a row is missing, nothing was measured.
create table graphloom.figures (
  deployment text not null references graphloom.builds on delete cascade,
  -- The length of a row in minutes.
  step smallint not null check (step in (1, 5)),
  -- Its first minute, counted since 1970.
  minute integer not null,
  -- How many of its minutes were measured.
  minutes smallint not null,
  -- Whether the server that indexes the deployment measured it. Its measurements replace those of other servers.
  is_own boolean not null,
  -- The most serious state; nothing if only queries were counted.
  state text,
  -- The last one.
  block integer,
  chain_block integer,
  -- The greatest.
  lag_blocks integer,
  lag_seconds integer,
  -- The mean of the handlers run per second.
  events real,
  -- Queries that all servers answered, by what answered them.
  from_memory bigint not null,
  from_engine bigint not null,
  refused bigint not null,
  primary key (deployment, step, minute)
);

-- What happened to deployments: a server began to index, or the chain was reorganised.
create table graphloom.figure_marks (
  deployment text not null references graphloom.builds on delete cascade,
  -- Milliseconds since 1970.
  at bigint not null,
  kind text not null check (kind in ('restart', 'reorganisation')),
  -- How many blocks a reorganisation replaced.
  blocks integer,
  primary key (deployment, at, kind)
);
