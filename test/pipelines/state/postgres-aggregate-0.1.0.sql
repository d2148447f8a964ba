-- What version 0.1.0 has left besides, if the sink keeps aggregates.
create table state.groups (boolean boolean, total numeric, graphloom_rows bigint not null,
  graphloom_stale boolean not null, graphloom_values_total bigint not null, graphloom_sum_total numeric not null);
create unique index on state.groups (coalesce(boolean::boolean, 'false'), (boolean is null));
insert into graphloom_flows.lineages values ('kept', 'out', '["state","groups"]', null, 'state.groups'::regclass);
insert into state.groups values ('t', '9223372036854775807', '1', 'f', '1', '9223372036854775807');
insert into state.groups values (null, '3', '3', 'f', '2', '3');
