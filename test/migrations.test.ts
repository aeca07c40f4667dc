import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const FOLDER = fileURLToPath(new URL('../migrations/', import.meta.url))

/** The beginning of the SHA-256 of each migration. A new one is added here. */
const APPLIED: Readonly<Record<string, string>> = {
  '0001-foundation.sql': '28bb74ca3ba1bac6',
  '0002-auth.sql': '23377ec3a06de203',
  '0003-fleet.sql': '3bddac380a92c964',
  '0004-trips-and-dtcs.sql': '5711b949be536ac1',
  '0005-sweeps.sql': '1b9c0a42deb48b4d',
  '0006-derivation.sql': 'd23ffd3161e72b12',
  '0007-waiting-and-misdated.sql': 'c6fd3e666965b9e7',
  '0008-rejected-frames.sql': '5b74e68b96ccd0e5',
  '0009-provisioning.sql': '16c272bfc480e177',
  '0011-logins.sql': '9fbd15ba87e01505',
  '0012-odometer-jumps.sql': '863429fc0a70bb00',
  '0013-one-trip-at-a-time.sql': 'fc64396bf946da3f',
  '0014-histories-folded-again.sql': 'af74c3f37aa325a2',
  '0015-silence-by-dongle.sql': '7f2cb21fa14c57d8',
  '0016-fair-shares.sql': 'bbd78328be849009',
  '0018-whose-dongles.sql': 'c6dfcd679886316b',
  '0019-who-is-a-user.sql': '86c9e8aa2a3bab2f',
  '0020-swept-tombstones.sql': '1ee18d8be07faf64',
  '0021-safe-point.sql': '8709ae82a712b3b3',
  '0022-words-of-the-field.sql': '2fb389743dddfda0',
  '0023-layouts.sql': 'e9712b32ef03ed48',
  '0024-store-in-order.sql': 'c9f1121b80acd98e',
  '0025-low-watermark.sql': 'd3969118ba857a48',
  '0026-rejection-reasons.sql': '3a2f86f3af060b48',
  '0027-restores.sql': 'e1eedac23d0a042e',
  '0028-areas.sql': '3a794908c58634dd',
  '0029-epoch-ms.sql': '490e3a844f35e895',
  '0030-rules-and-incidents.sql': '5c385cc20099db4b',
  '0031-incidents-told-once.sql': '1d9aa25e6e4e5125',
  '0032-sealed-days.sql': '0f59184a66dc6aa0',
  '0033-sealed-values.sql': '18248809e0e5c961',
  '0034-colour-and-group.sql': '93ec81cf62bc5d2d',
  '0035-rollups.sql': '64bad07e9edd9d18',
  '0036-several-machines.sql': '4166f1552fe7f00a',
  '0037-open-trips.sql': '3c86ab265fb1c015',
  '0038-sparse-rollups.sql': '73fb0e8bd9140e98',
  '0039-folded-out-of-order-by.sql': 'f6e488a447697bfe',
}

/** Databases remember the checksums of their migrations, and Tacho refuses a database with others. */
test('a migration that was applied is never edited, not even its comments', async () => {
  const names = (await readdir(FOLDER)).filter(name => /^\d{4}-/.test(name)).sort()
  const checksums = names.map(async name => {
    const text = await readFile(FOLDER + name)
    return [name, createHash('sha256').update(text).digest('hex').slice(0, 16)]
  })
  expect(Object.fromEntries(await Promise.all(checksums))).toEqual(APPLIED)
})
