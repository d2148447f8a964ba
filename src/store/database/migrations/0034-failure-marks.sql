-- Failures have marks with their own times. Those that were over have the time of the figures in which they began.
alter table graphloom.figure_marks drop constraint figure_marks_kind_check;
alter table graphloom.figure_marks add constraint figure_marks_kind_check
  check (kind in ('restart', 'reorganisation', 'failure'));
insert into graphloom.figure_marks (deployment, at, kind)
  select deployment, minute * 60000::bigint, 'failure' from (
      select deployment, minute, state, lag(state) over by_time as before,
          max(minute) filter (where state <> 'failed') over (partition by deployment) as last_sound
        from graphloom.figures where step = 5 and state is not null
        window by_time as (partition by deployment order by minute)
    ) f
    where state = 'failed' and before <> 'failed' and minute < last_sound;
