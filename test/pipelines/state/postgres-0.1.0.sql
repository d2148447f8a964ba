-- The state of a sink as version 0.1.0 has left it, with its table.
create schema graphloom_flows;
create table graphloom_flows.positions (
  flow text not null, sink text not null, target text not null, source text not null,
  next bigint not null, version bigint not null, primary key (flow, sink, target, source));
create table graphloom_flows.open_blocks (
  flow text not null, sink text not null, target text not null, source text not null,
  number bigint not null, hash text not null, rows text not null,
  primary key (flow, sink, target, source, number));
create table graphloom_flows.ledger (
  flow text not null, sink text not null, target text not null, source text not null,
  first bigint not null, last bigint not null, rows bigint not null, sum numeric(39,0) not null,
  primary key (flow, sink, target, source, first));
create table graphloom_flows.parked (
  flow text not null, sink text not null, target text not null, number bigint not null, source text not null,
  content text not null, primary key (flow, sink, target, number));
create table graphloom_flows.writers (
  flow text not null, sink text not null, target text not null, source text not null,
  process text not null, since timestamptz not null, primary key (flow, sink, target, source));
create table graphloom_flows.lineages (
  flow text not null, sink text not null, target text not null, lineage text,
  made oid, primary key (flow, sink, target));
create schema state;
create table state.kept (id text primary key, long bigint, "double" double precision, boolean boolean,
  timestamp timestamptz, list text[]);
insert into graphloom_flows.positions values ('kept', 'out', '["state","kept"]', 's', '12', '2');
insert into graphloom_flows.positions values ('kept', 'out', '["state","kept"]', 'other', '5', '0');
insert into graphloom_flows.open_blocks values ('kept', 'out', '["state","kept"]', 's', '10', '0xa10', '{"count":2,"columns":[["it''s \\ ß😀","none"],["9223372036854775807",null],[0.5,null],[true,null],["1700000000000000",null],[["a","b,\"c"],null]]}');
insert into graphloom_flows.open_blocks values ('kept', 'out', '["state","kept"]', 's', '11', '0xa11', '{"count":0,"columns":[[],[],[],[],[],[]]}');
insert into graphloom_flows.ledger values ('kept', 'out', '["state","kept"]', 's', '0', '9', '2', '340282366920938463463374607431768211455');
insert into graphloom_flows.ledger values ('kept', 'out', '["state","kept"]', 's', '10', '10', '2', '12');
insert into graphloom_flows.ledger values ('kept', 'out', '["state","kept"]', 's', '11', '11', '-1', '0');
insert into graphloom_flows.ledger values ('kept', 'out', '["state","kept"]', 'other', '0', '4', '0', '0');
insert into graphloom_flows.parked values ('kept', 'out', '["state","kept"]', '1', 's', '{"number":1,"source":"s","from":11,"to":11,"operation":"u","row":"{\"count\":1,\"columns\":[[\"late\"],[\"7\"],[null],[null],[null],[null]]}","before":"{\"count\":1,\"columns\":[[\"late\"],[\"6\"],[null],[null],[null],[null]]}","reason":"it''s too large","at":1700000000000}');
insert into graphloom_flows.parked values ('kept', 'out', '["state","kept"]', '2', 's', '{"number":2,"source":"s","from":11,"to":11,"operation":"d","row":"{\"count\":1,\"columns\":[[\"late\"],[\"7\"],[null],[null],[null],[null]]}","at":1700000000001,"droppedAt":1700000000002}');
insert into graphloom_flows.writers values ('kept', 'out', '["state","kept"]', 's', '{"pid":47,"host":"earlier","namespace":null}', '2026-01-02 03:04:05+00');
insert into graphloom_flows.writers values ('kept', 'out', '["state","kept"]', 'other', '{"pid":47,"host":"earlier","namespace":null}', '2026-01-02 03:04:05+00');
insert into graphloom_flows.lineages values ('kept', 'out', '["state","kept"]', 'the lineage of version 0.1.0', 'state.kept'::regclass);
insert into state.kept values ('a', '1', null, null, null, null);
insert into state.kept values ('b', '2', null, null, null, null);
insert into state.kept values ('it''s \ ß😀', '9223372036854775807', '0.5', 't', '2023-11-14 22:13:20+00', '{a,"b,\"c"}');
insert into state.kept values ('none', null, null, null, null, null);
