-- Where it was, in the mapping and in the configuration that the mapping was compiled from, as far as that is known:
-- src/pool.ts:12:3, subgraph.json:20:41. In fatal_error they are "place" and "configPlace".
alter table graphloom.handler_errors add place text;
alter table graphloom.handler_errors add config_place text;
