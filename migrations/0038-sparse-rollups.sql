-- Rollups of version 2, in which an hour that is like the one before takes a bit, beside those of version 1 (docs/adr/0039).
alter function unroll(bytea) rename to unroll_first;

create function signed_of(value numeric) returns numeric
language sql immutable strict parallel safe as $$
  select case when value % 2 = 0 then div(value, 2) else -div(value + 1, 2) end
$$;

-- The rollup of a day for people who have nothing but SQL, a row an event type and hour with values (docs/data-model.md).
create function unroll(rollup bytea)
returns table (
  hour timestamptz, type integer, count integer, lowest double precision, highest double precision, sum numeric,
  first double precision, last double precision,
  lowest_time timestamptz, highest_time timestamptz, first_time timestamptz, last_time timestamptz
)
language plpgsql immutable strict parallel safe as $$
declare
  bytes bytea := substring(rollup from 2);
  here integer;
  item bigint;
  in_hour bigint;
  long numeric;
  day_ms bigint;
  unit bigint;
  groups bigint;
  left_over bigint;
  group_at integer[] := '{}';
  at integer;
  hours integer;
  coding integer;
  scale bigint;
  with_values bigint;
  others bigint;
  moving bigint;
  starts bigint[];
  counts bigint[];
  firsts bigint[];
  lasts bigint[];
  lows bigint[];
  highs bigint[];
  ends double precision[];
  -- What the sums would be if all values were as the first of their hour.
  as_first numeric[];
  power double precision;
  before bigint;
  first_whole bigint;
  down bigint;
  up bigint;
  after_hour bigint;
  after_first bigint;
begin
  if get_byte(rollup, 0) = 1 then
    return query select * from unroll_first(rollup);
    return;
  elsif get_byte(rollup, 0) <> 2 then
    raise exception 'a rollup of version %', get_byte(rollup, 0);
  end if;
  select signed_of(w.value) * 86400000, w.next_at into day_ms, here from whole_at(bytes, 0) w;
  select w.value, w.next_at into unit, here from whole_at(bytes, here) w;
  select w.value, w.next_at into groups, here from whole_at(bytes, here) w;
  for place in 1 .. groups loop
    select w.value, w.next_at into item, here from whole_at(bytes, here) w;
    group_at := group_at || here;
    here := here + item::integer;
  end loop;
  select w.value, w.next_at into left_over, here from whole_at(bytes, here) w;
  type := 0;
  while left_over > 0 loop
    left_over := left_over - 1;
    select type + w.value, w.next_at into type, here from whole_at(bytes, here) w;
    select w.value, w.next_at into item, here from whole_at(bytes, here) w;
    at := group_at[item + 1];
    select w.value, w.next_at into item, here from whole_at(bytes, here) w;
    coding := get_byte(bytes, here);
    if coding = 17 then
      here := here + item::integer;
      continue;
    end if;
    here := here + 1;
    starts := '{}'; counts := '{}'; firsts := '{}'; lasts := '{}'; lows := '{}'; highs := '{}'; ends := '{}';
    as_first := '{}';
    select w.value, w.next_at into with_values, at from whole_at(bytes, at) w;
    select w.value, w.next_at into others, at from whole_at(bytes, at) w;
    hours := 0;
    for place in 0 .. 23 loop
      continue when (with_values >> place) & 1 = 0;
      if (others >> hours) & 1 = 1 then
        select w.value, w.next_at into in_hour, at from whole_at(bytes, at) w;
        select w.value * unit, w.next_at into after_hour, at from whole_at(bytes, at) w;
        select w.value * unit, w.next_at into after_first, at from whole_at(bytes, at) w;
      end if;
      starts := starts || (day_ms + place * 3600000);
      counts := counts || in_hour;
      firsts := firsts || (day_ms + place * 3600000 + after_hour);
      lasts := lasts || (day_ms + place * 3600000 + after_hour + after_first);
      hours := hours + 1;
    end loop;
    if coding = 16 then
      for place in 1 .. hours * 4 loop
        ends := ends || unpack_numbers('\x80'::bytea || substring(bytes from here + 1 for 8), 1);
        here := here + 8;
      end loop;
      for place in 1 .. hours loop
        select lows || (firsts[place] + w.value * unit), w.next_at into lows, here from whole_at(bytes, here) w;
      end loop;
      for place in 1 .. hours loop
        select highs || (firsts[place] + w.value * unit), w.next_at into highs, here from whole_at(bytes, here) w;
      end loop;
    else
      select w.value, w.next_at into moving, here from whole_at(bytes, here) w;
      before := 0;
      for place in 1 .. hours loop
        first_whole := before;
        down := 0;
        up := 0;
        lows := lows || firsts[place];
        highs := highs || firsts[place];
        if (moving >> (place - 1)) & 1 = 1 then
          select before + signed_of(w.value), w.next_at into first_whole, here from whole_at(bytes, here) w;
          select w.value, w.next_at into down, here from whole_at(bytes, here) w;
          select w.value, w.next_at into up, here from whole_at(bytes, here) w;
          select first_whole + signed_of(w.value), w.next_at into before, here from whole_at(bytes, here) w;
          if down > 0 then
            select w.value * unit, w.next_at into after_first, here from whole_at(bytes, here) w;
            lows[place] := firsts[place] + after_first;
          end if;
          if up > 0 then
            select w.value * unit, w.next_at into after_first, here from whole_at(bytes, here) w;
            highs[place] := firsts[place] + after_first;
          end if;
        end if;
        ends := ends || array[first_whole, first_whole - down, first_whole + up, before]::float8[];
        as_first := as_first || counts[place]::numeric * first_whole;
      end loop;
    end if;
    select w.value, w.next_at into scale, here from whole_at(bytes, here) w;
    power := case when coding = 16 then 1 else 10::float8 ^ coding end;
    long := 0;
    for place in 1 .. hours loop
      if coding = 16 then
        select long + signed_of(w.value), w.next_at into long, here from long_at(bytes, here) w;
      else
        long := as_first[place] * ('1e' || scale - coding)::numeric;
        if (moving >> (place - 1)) & 1 = 1 then
          select long + signed_of(w.value), w.next_at into long, here from long_at(bytes, here) w;
        end if;
      end if;
      hour := epoch_ms(starts[place]);
      count := counts[place]::integer;
      first := ends[place * 4 - 3] / power;
      lowest := ends[place * 4 - 2] / power;
      highest := ends[place * 4 - 1] / power;
      last := ends[place * 4] / power;
      first_time := epoch_ms(firsts[place]);
      last_time := epoch_ms(lasts[place]);
      lowest_time := epoch_ms(lows[place]);
      highest_time := epoch_ms(highs[place]);
      sum := trim_scale(long * ('1e-' || scale)::numeric);
      return next;
    end loop;
  end loop;
end
$$;
