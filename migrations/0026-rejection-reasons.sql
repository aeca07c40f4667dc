-- What can be done about a rejected frame depends on why it was rejected; `why` is a sentence for people.
alter table rejected_frames add column reason text not null default 'unreadable'
  check (reason in ('unreadable', 'unknown device', 'claimed device', 'network', 'not stored'));
