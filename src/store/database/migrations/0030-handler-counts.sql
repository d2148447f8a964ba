-- How often the handlers of a deployment have run, and how many entities they have stored.
create table graphloom.handler_counts (
  deployment integer not null references graphloom.deployments on delete cascade,
  -- The data source or the template.
  source text not null,
  handler text not null,
  -- The entity type that it stored; empty for its runs.
  type text not null,
  count bigint not null,
  -- The last minute in which it was counted, since 1970, and the counts in this minute and in the one before.
  minute integer not null,
  in_minute bigint not null,
  in_minute_before bigint not null,
  primary key (deployment, source, handler, type)
);

-- What the block has added to the counts, which a reorganisation takes away again. Missing where it was far from the
-- chain's head.
alter table graphloom.recent_blocks add column runs jsonb;

-- The counts begin after this block; with the first block where it is missing.
alter table graphloom.deployments add column counted_after integer;
update graphloom.deployments set counted_after = head_number where head_number is not null;
