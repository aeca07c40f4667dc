-- How long a dongle may be silent before its drive is over follows from how often it usually reports (decisions.md, *Trips*,
-- silence): while a drive is open, from when on silence has ended it.
alter table device_states add column trip_silent_from timestamptz;

update device_states set trip_silent_from = trip_end + interval '5 minutes' where trip_end is not null;
