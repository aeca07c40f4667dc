import type { Database } from '../db/database.ts'
import { countHistories, countOutdated, readDevicesUnderWay } from '../facts/device-records/refolds.ts'

/** Says how far the histories of devices are folded again after an upgrade. */
export async function printRebuildStatus(database: Database): Promise<void> {
  const [devices, left] = [await countHistories(database), await countOutdated(database)]
  const rest = left === 0 ? 'nothing waits' : 'Tacho does the rest while it runs'
  console.log(`folded by the rules of this version: ${text(devices - left)} of ${text(devices)} devices; ${rest}`)
  for (const { deviceId, foldedTo } of await readDevicesUnderWay(database))
    console.log(`${deviceId} is folded again up to ${foldedTo.slice(0, 16).replace('T', ' ')}Z`)
}

function text(count: number): string {
  return count.toLocaleString('en-US')
}
