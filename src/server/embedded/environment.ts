import { tmpdir } from 'node:os'

/** What PostgreSQL sees of the environment: nothing of ours, so that no PGDATA or LD_PRELOAD of the operator's shell changes it. */
export const serverEnvironment = () => ({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
  TMPDIR: tmpdir(),
})
