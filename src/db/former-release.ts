/**
 * The release before this one: what may run beside it for the length of a deployment (docs/adr/0041). Whoever makes a release writes
 * the one before it here. No version was published before 0.1.0; the last one without sealed history stands for it.
 */
export const FORMER_RELEASE = {
  version: '0.1.0-alpha.1',
  /** From which `test/rolling-upgrade.test.ts` builds it. */
  commit: '530c2d52d0e11356b4b10c23230ddb6761697d83',
  /** The number of its newest migration. */
  migration: 30,
} as const
