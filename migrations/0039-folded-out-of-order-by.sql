-- While a history is folded again, a process of the former release may fold out-of-order samples of it by its own rules, and with them what
-- had been folded again already. So it is noted by which rules that was done.
alter table refolds
  -- The oldest instant of out-of-order samples that were folded since the stretch now at work was begun; null when there were none.
  add column out_of_order_from timestamptz,
  -- The lowest version of the rules that they were folded by.
  add column out_of_order_by smallint;
-- `late_from` was the former of the two. Only the former release writes it, and it goes with the release after this one.
