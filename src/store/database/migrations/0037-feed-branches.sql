-- What the changes of a feed come from, so that readers can name a change by its content. A branch changes with each reversal.
-- It follows from the blocks that were undone, so that a database restored from a backup gives the same names again.
alter table graphloom.deployments add feed_branch text not null default '';
-- Changes that are in a log already have none.
do $$
declare
  log record;
begin
  for log in select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join graphloom.deployments d on n.nspname = 'sgd' || d.id where c.relname = 'changes$' loop
    execute format('alter table %I.changes$ add origin text', log.nspname);
  end loop;
end
$$;
