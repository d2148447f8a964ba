-- The state of a sink as version 0.1.0 has left it, with its table.
create table `graphloom_flows_positions` (
  `owner` binary(32) NOT NULL,
  `source` varbinary(1000) NOT NULL,
  `flow` text NOT NULL,
  `sink` text NOT NULL,
  `target` text NOT NULL,
  `next` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  PRIMARY KEY (`owner`,`source`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
create table `graphloom_flows_open_blocks` (
  `owner` binary(32) NOT NULL,
  `source` varbinary(1000) NOT NULL,
  `number` bigint(20) NOT NULL,
  `part` int(11) NOT NULL,
  `hash` text NOT NULL,
  `content` longtext NOT NULL,
  PRIMARY KEY (`owner`,`source`,`number`,`part`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
create table `graphloom_flows_ledger` (
  `owner` binary(32) NOT NULL,
  `source` varbinary(1000) NOT NULL,
  `first` bigint(20) NOT NULL,
  `last` bigint(20) NOT NULL,
  `held` bigint(20) NOT NULL,
  `hash` decimal(39,0) NOT NULL,
  PRIMARY KEY (`owner`,`source`,`first`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
create table `graphloom_flows_parked` (
  `owner` binary(32) NOT NULL,
  `number` bigint(20) NOT NULL,
  `part` int(11) NOT NULL,
  `content` longtext NOT NULL,
  PRIMARY KEY (`owner`,`number`,`part`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
create table `graphloom_flows_writers` (
  `owner` binary(32) NOT NULL,
  `source` varbinary(1000) NOT NULL,
  `process` text NOT NULL,
  `since` bigint(20) NOT NULL,
  PRIMARY KEY (`owner`,`source`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
create table `graphloom_flows_lineages` (
  `owner` binary(32) NOT NULL,
  `lineage` longtext DEFAULT NULL,
  `is_made` tinyint(1) NOT NULL DEFAULT 0,
  PRIMARY KEY (`owner`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
create table `kept` (
  `id` varchar(768) NOT NULL,
  `long` bigint(20) DEFAULT NULL,
  `double` double DEFAULT NULL,
  `boolean` tinyint(1) DEFAULT NULL,
  `timestamp` datetime(6) DEFAULT NULL,
  `list` longtext DEFAULT NULL CHECK (json_valid(`list`)),
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin ROW_FORMAT=DYNAMIC;
insert into graphloom_flows_positions values (x'A50B51B475BA6B0430A5168241E2070CADD6B996D6BF05BE81F215554125860C', x'6F74686572', 'kept', 'out', 'kept', '5', '0');
insert into graphloom_flows_positions values (x'A50B51B475BA6B0430A5168241E2070CADD6B996D6BF05BE81F215554125860C', x'73', 'kept', 'out', 'kept', '12', '2');
insert into graphloom_flows_open_blocks values (x'A50B51B475BA6B0430A5168241E2070CADD6B996D6BF05BE81F215554125860C', x'73', '10', '0', '0xa10', '{"count":2,"columns":[["it\'s \\\\ ß😀","none"],["9223372036854775807",null],[0.5,null],[true,null],["1700000000000000",null],[["a","b,\\"c"],null]]}');
insert into graphloom_flows_open_blocks values (x'A50B51B475BA6B0430A5168241E2070CADD6B996D6BF05BE81F215554125860C', x'73', '11', '0', '0xa11', '{"count":0,"columns":[[],[],[],[],[],[]]}');
insert into graphloom_flows_ledger values (x'A50B51B475BA6B0430A5168241E2070CADD6B996D6BF05BE81F215554125860C', x'6F74686572', '0', '4', '0', '0');
insert into graphloom_flows_ledger values (x'A50B51B475BA6B0430A5168241E2070CADD6B996D6BF05BE81F215554125860C', x'73', '0', '9', '2', '340282366920938463463374607431768211455');
insert into graphloom_flows_ledger values (x'A50B51B475BA6B0430A5168241E2070CADD6B996D6BF05BE81F215554125860C', x'73', '10', '10', '2', '12');
insert into graphloom_flows_ledger values (x'A50B51B475BA6B0430A5168241E2070CADD6B996D6BF05BE81F215554125860C', x'73', '11', '11', '-1', '0');
insert into graphloom_flows_parked values (x'A50B51B475BA6B0430A5168241E2070CADD6B996D6BF05BE81F215554125860C', '1', '0', '{"number":1,"source":"s","from":11,"to":11,"operation":"u","row":"{\\"count\\":1,\\"columns\\":[[\\"late\\"],[\\"7\\"],[null],[null],[null],[null]]}","before":"{\\"count\\":1,\\"columns\\":[[\\"late\\"],[\\"6\\"],[null],[null],[null],[null]]}","reason":"it\'s too large","at":1700000000000}');
insert into graphloom_flows_parked values (x'A50B51B475BA6B0430A5168241E2070CADD6B996D6BF05BE81F215554125860C', '2', '0', '{"number":2,"source":"s","from":11,"to":11,"operation":"d","row":"{\\"count\\":1,\\"columns\\":[[\\"late\\"],[\\"7\\"],[null],[null],[null],[null]]}","at":1700000000001,"droppedAt":1700000000002}');
insert into graphloom_flows_writers values (x'A50B51B475BA6B0430A5168241E2070CADD6B996D6BF05BE81F215554125860C', x'6F74686572', '{"pid":47,"host":"earlier","namespace":null}', '1767323045000');
insert into graphloom_flows_writers values (x'A50B51B475BA6B0430A5168241E2070CADD6B996D6BF05BE81F215554125860C', x'73', '{"pid":47,"host":"earlier","namespace":null}', '1767323045000');
insert into graphloom_flows_lineages values (x'A50B51B475BA6B0430A5168241E2070CADD6B996D6BF05BE81F215554125860C', 'the lineage of version 0.1.0', '1');
insert into kept values ('a', '1', NULL, NULL, NULL, NULL);
insert into kept values ('b', '2', NULL, NULL, NULL, NULL);
insert into kept values ('it\'s \\ ß😀', '9223372036854775807', '0.5', '1', '2023-11-14 22:13:20.000000', '["a","b,\\"c"]');
insert into kept values ('none', NULL, NULL, NULL, NULL, NULL);
