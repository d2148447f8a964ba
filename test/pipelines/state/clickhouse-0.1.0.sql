-- The state of a sink as version 0.1.0 has left it, with its table. Its last batch was interrupted.
CREATE DATABASE earlier;
CREATE TABLE earlier.graphloom_flow_states (`flow` String, `sink` String, `target` String, `kind` String, `source` String, `number` UInt64, `value` String, `serial` UInt64, `is_deleted` UInt8) ENGINE = ReplacingMergeTree(serial, is_deleted) ORDER BY (flow, sink, target, kind, source, number) SETTINGS index_granularity = 8192;
INSERT INTO earlier.graphloom_flow_states VALUES
  ('kept','out','kept','lineage','',0,'{"text":"the lineage of version 0.1.0","isMade":true}',1000000001,0);
INSERT INTO earlier.graphloom_flow_states VALUES
  ('kept','out','kept','ledger','other',0,'{"from":0,"to":4,"rows":0,"sum":"0"}',1000000002,0),
  ('kept','out','kept','ledger','s',0,'{"from":0,"to":9,"rows":2,"sum":"340282366920938463463374607431768211455"}',1000000002,0);
INSERT INTO earlier.graphloom_flow_states VALUES
  ('kept','out','kept','block','s',10,'{"hash":"0xa10","rows":"{\\"count\\":2,\\"columns\\":[[\\"it\'s \\\\\\\\ ß😀\\",\\"none\\"],[\\"9223372036854775807\\",null],[0.5,null],[true,null],[\\"1700000000000000\\",null],[[\\"a\\",\\"b,\\\\\\"c\\"],null]]}"}',1000000005,0),
  ('kept','out','kept','ledger','s',10,'{"from":10,"to":10,"rows":2,"sum":"12"}',1000000005,0);
INSERT INTO earlier.graphloom_flow_states VALUES
  ('kept','out','kept','block','s',11,'{"hash":"0xa11","rows":"{\\"count\\":0,\\"columns\\":[[],[],[],[],[],[]]}"}',1000000007,0),
  ('kept','out','kept','ledger','s',11,'{"from":11,"to":11,"rows":-1,"sum":"0"}',1000000007,0);
INSERT INTO earlier.graphloom_flow_states VALUES
  ('kept','out','kept','before','',0,'{"version":8,"rows":"{\\"count\\":1,\\"columns\\":[[\\"gone\\"],[\\"1\\"],[null],[null],[null],[null]]}"}',1000000009,0);
INSERT INTO earlier.graphloom_flow_states VALUES
  ('kept','out','kept','block','other',5,'',1000000010,1),
  ('kept','out','kept','ledger','other',5,'',1000000010,1);
INSERT INTO earlier.graphloom_flow_states VALUES
  ('kept','out','kept','position','other',0,'5',2000000001,0),
  ('kept','out','kept','position','s',0,'12',2000000001,0),
  ('kept','out','kept','writer','',0,'{"token":"graphloom-bd3bfe44601c38bb-earlier-2","committed":8,"reserved":1000008,"process":{"pid":47,"host":"earlier","namespace":null},"since":1767323045000}',2000000001,0);
INSERT INTO earlier.graphloom_flow_states VALUES
  ('kept','out','kept','before','',0,'{"version":9,"rows":"{\\"count\\":2,\\"columns\\":[[\\"a\\",\\"none\\"],[\\"1\\",null],[null,null],[null,null],[null,null],[null,null]]}"}',2000000002,0);
CREATE TABLE earlier.kept (`id` String, `long` Nullable(Int64), `double` Nullable(Float64), `boolean` Nullable(Bool), `timestamp` Nullable(DateTime64(6, 'UTC')), `list` Array(String), `version` UInt64, `is_deleted` UInt8, INDEX graphloom_version version TYPE minmax GRANULARITY 1) ENGINE = ReplacingMergeTree(version, is_deleted) ORDER BY (id) SETTINGS index_granularity = 8192;
INSERT INTO earlier.kept VALUES
  ('a',1,NULL,NULL,NULL,[],2,0);
INSERT INTO earlier.kept VALUES
  ('stray',1,NULL,NULL,NULL,[],4,1);
INSERT INTO earlier.kept VALUES
  ('it\'s \\ ß😀',9223372036854775807,0.5,true,'2023-11-14 22:13:20.000000',['a','b,"c'],5,0),
  ('none',NULL,NULL,NULL,NULL,[],5,0);
INSERT INTO earlier.kept VALUES
  ('b',2,NULL,NULL,NULL,[],6,0);
INSERT INTO earlier.kept VALUES
  ('gone',1,NULL,NULL,NULL,[],8,1);
INSERT INTO earlier.kept VALUES
  ('a',1,NULL,NULL,NULL,[],9,1),
  ('none',9,NULL,NULL,NULL,[],9,0),
  ('x',1,NULL,NULL,NULL,[],9,0);
