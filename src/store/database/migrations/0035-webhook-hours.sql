-- The attempts of webhooks before 0032 were counted by hour. They become figures of five minutes, over which the attempts of
-- their hour are spread evenly, so that charts reach back a month. How long they took is unknown. In the hour in which the
-- figures begin, only what they lack is added, before their first row.
-- webhook_outcomes itself stays, because servers of older versions go on counting in it. Nothing reads it any more.
with hours as (
  select o.webhook, (extract(epoch from o.hour) / 60)::integer as start,
      greatest(0, o.delivered - coalesce(sum(f.delivered), 0)) as delivered,
      greatest(0, o.retried - coalesce(sum(f.retried), 0)) as retried,
      greatest(0, o.failed - coalesce(sum(f.failed), 0)) as failed,
      (select min(minute) from graphloom.webhook_figures b where b.webhook = o.webhook and b.step = 5) as begins
    from graphloom.webhook_outcomes o
      left join graphloom.webhook_figures f on f.webhook = o.webhook and f.step = 5
        and f.minute >= extract(epoch from o.hour) / 60 and f.minute < extract(epoch from o.hour) / 60 + 60
    group by o.webhook, o.hour),
rests as (
  select *, case when begins > start then least(12, (begins - start) / 5) else 12 end as count
    from hours where delivered + retried + failed > 0)
insert into graphloom.webhook_figures as f (webhook, step, minute, delivered, retried, failed)
  select webhook, 5, start + i * 5,
      floor(delivered * (i + 1) / count) - floor(delivered * i / count),
      floor(retried * (i + 1) / count) - floor(retried * i / count),
      floor(failed * (i + 1) / count) - floor(failed * i / count)
    from rests cross join lateral generate_series(0, count - 1) i
  on conflict (webhook, step, minute) do update set delivered = f.delivered + excluded.delivered,
    retried = f.retried + excluded.retried, failed = f.failed + excluded.failed;
