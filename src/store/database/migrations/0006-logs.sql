-- What deployments say, the last lines of each.
create table graphloom.log_lines (
  deployment text not null,
  seq bigint not null generated always as identity,
  -- Milliseconds since 1970.
  at bigint not null,
  level text not null,
  text text not null,
  primary key (deployment, seq)
);
