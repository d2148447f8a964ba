-- The deployments whose entities a build handles. Missing until it is read, if an older version has stored it.
alter table graphloom.builds add column sources text[];
