import type { Database } from '../store/database.ts'
import { countHistories, countOutdated, readDevicesUnderWay } from '../store/fleet/refolds.ts'

/** Says how far the histories of devices are folded again after an upgrade. */
export async function printRebuildStatus(database: Database): Promise<void> {
  const [devices, left] = [await countHistories(database), await countOutdated(database)]
  if (left === 0) {
    console.log(`all ${text(devices)} devices are folded by the rules of this version`)
    return
  }
  console.log(`folded again ${text(devices - left)} of ${text(devices)} devices; Tacho does the rest while it runs`)
  for (const { deviceId, foldedTo } of await readDevicesUnderWay(database))
    console.log(`${deviceId} is folded again up to ${foldedTo.slice(0, 16).replace('T', ' ')}Z`)
}

function text(count: number): string {
  return count.toLocaleString('en-US')
}
