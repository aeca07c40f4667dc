-- What gateways received and could not believe, for inspection with `tacho frames`. Bounded: the newest rows, the begin
-- of each (src/store/rejected-frames.ts).
create table rejected_frames (
  id bigint generated always as identity primary key,
  received timestamptz not null default clock_timestamp(),
  gateway text not null,
  -- Who the sender said to be; it may be nobody that is known.
  device_id bigint,
  -- The address it came from.
  sender text not null,
  -- A sentence for the operator.
  why text not null,
  -- How long it was; `bytes` is at most the begin of it.
  byte_count integer not null,
  bytes bytea not null
);
