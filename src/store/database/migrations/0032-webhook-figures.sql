-- What became of the attempts of webhooks: a row for each minute of the last day, and one for each five minutes of the last
-- month. Where a row is missing, nothing was measured.
create table graphloom.webhook_figures (
  webhook text not null references graphloom.webhooks on delete cascade,
  -- The length of a row in minutes.
  step smallint not null check (step in (1, 5)),
  -- Its first minute, counted since 1970.
  minute integer not null,
  -- Attempts that all servers made, by how they ended; retried ones failed and were followed by another one.
  delivered bigint not null default 0,
  retried bigint not null default 0,
  failed bigint not null default 0,
  -- The most events that waited; nothing if they were not counted.
  pending integer,
  -- How many attempts took how long, in buckets that grow by the fourth root of 2 from a millisecond.
  times bigint[] not null default '{}',
  primary key (webhook, step, minute)
);
